import type { Area } from './area.ts'

export const MOVING = {
  Export: ['Exportar', 'Exportar'],
  'Export the instance': ['Exportar a instância', 'Exportar la instancia'],
  'Make a backup': ['Fazer um backup', 'Hacer una copia de seguridad'],
  'The instance keeps running. The archive contains its device and its settings, but no waiting messages.': [
    'A instância continua. O arquivo tem o dispositivo e as configurações, mas não as mensagens na fila.',
    'La instancia sigue. El archivo tiene su dispositivo y su configuración, pero no los mensajes en espera.',
  ],
  'The backup is saved.': ['O backup foi salvo.', 'La copia de seguridad se guardó.'],
  'Move to another server': ['Mover para outro servidor', 'Trasladar a otro servidor'],
  'The instance is stopped here and stays stopped. The archive contains everything, including the queue. Import it at the other server, then delete the instance here.':
    [
      'A instância para aqui e fica parada. O arquivo tem tudo, inclusive a fila. Importe-o no outro servidor e depois exclua a instância aqui.',
      'La instancia se detiene aquí y queda detenida. El archivo tiene todo, también la cola. Impórtelo en el otro servidor y luego elimine la instancia aquí.',
    ],
  'The archive is saved, and the instance is stopped here.': [
    'O arquivo foi salvo, e a instância parou aqui.',
    'El archivo fue guardado y la instancia se detuvo aquí.',
  ],
  'Save the archive': ['Salvar o arquivo', 'Guardar el archivo'],
  Purpose: ['Finalidade', 'Finalidad'],
  'It encrypts the archive and is not stored anywhere. At least {n} characters.': [
    'Ela criptografa o arquivo e não fica guardada. Pelo menos {n} caracteres.',
    'Cifra el archivo y no se guarda en ningún lugar. Al menos {n} caracteres.',
  ],
  'Import an instance': ['Importar uma instância', 'Importar una instancia'],
  'The instance is imported.': ['A instância foi importada.', 'La instancia fue importada.'],
  'Another server of this service': ['Outro servidor deste serviço', 'Otro servidor de este servicio'],
  'An archive, as its Export makes it.': ['Um arquivo feito por Exportar.', 'Un archivo hecho con Exportar.'],
  'The folder that has creds.json.': ['A pasta que tem creds.json.', 'La carpeta que tiene creds.json.'],
  'The SQLite file of the stopped program, or a file of rows.': [
    'O arquivo SQLite do programa parado, ou linhas.',
    'El archivo SQLite del programa detenido, o filas.',
  ],
  'A file of rows; the page about moving says how to make it.': [
    'Um arquivo de linhas; veja a página sobre migração.',
    'Un archivo de filas; vea la página sobre traslado.',
  ],
  'A file of rows. For a folder, choose Baileys.': [
    'Um arquivo de linhas. Para uma pasta, escolha Baileys.',
    'Un archivo de filas. Para una carpeta, elija Baileys.',
  ],
  Check: ['Verificar', 'Revisar'],
  'Nothing has been written yet. The file contains:': [
    'Nada foi gravado ainda. No arquivo:',
    'Todavía no se escribió nada. En el archivo:',
  ],
  'The passphrase that was chosen for the export.': ['A que foi escolhida ao exportar.', 'La que se eligió al exportar.'],
  'The other program is stopped, for good': ['O outro programa parou de vez', 'El otro programa se detuvo para siempre'],
  'Two programs with one device take the connection from each other, and messages are lost.': [
    'Dois programas com um dispositivo tomam a conexão um do outro, e mensagens se perdem.',
    'Dos programas con un dispositivo se quitan la conexión el uno al otro y se pierden mensajes.',
  ],
  'The device was used after this file was made': [
    'O dispositivo foi usado depois que este arquivo foi feito',
    'El dispositivo se usó después de que se hizo este archivo',
  ],
  Device: ['Dispositivo', 'Dispositivo'],
  'Needed only if the file has several devices.': ['Só se o arquivo tiver vários.', 'Solo si el archivo tiene varios.'],
  'Name of the new instance. It may be empty.': [
    'Da nova instância. Pode ficar vazio.',
    'De la nueva instancia. Puede quedar vacío.',
  ],
  'The archive does not keep the pause: the instance connects as soon as it is imported.': [
    'O arquivo não guarda a pausa: a instância se conecta assim que for importada.',
    'El archivo no guarda la pausa: la instancia se conecta en cuanto se importa.',
  ],
} as const satisfies Area
