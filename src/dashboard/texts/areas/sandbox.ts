import type { Area } from './area.ts'

export const SANDBOX = {
  'The person was added.': ['A pessoa foi adicionada.', 'La persona fue agregada.'],
  Unlink: ['Desvincular', 'Desvincular'],
  Restrict: ['Restringir', 'Restringir'],
  Lift: ['Liberar', 'Levantar'],
  Ban: ['Banir', 'Suspender'],
  Cut: ['Cortar', 'Cortar'],
  'The phone has removed its linked devices.': [
    'O celular removeu seus dispositivos conectados.',
    'El teléfono quitó sus dispositivos vinculados.',
  ],
  'The account may not write to strangers for an hour.': [
    'A conta não pode escrever a desconhecidos por uma hora.',
    'La cuenta no puede escribir a desconocidos durante una hora.',
  ],
  'The restriction has ended.': ['A restrição terminou.', 'La restricción terminó.'],
  'The account is suspended for an hour.': ['A conta está suspensa por uma hora.', 'La cuenta está suspendida durante una hora.'],
  'The connection was cut; the instance reconnects.': [
    'A conexão foi cortada; a instância se reconecta.',
    'La conexión se cortó; la instancia se reconecta.',
  ],
  Trouble: ['Problemas', 'Problemas'],
  'The network is back.': ['A rede voltou.', 'La red volvió.'],
  'The network is down: nothing connects until you turn it on again.': [
    'A rede está fora do ar: nada se conecta até você ligá-la de novo.',
    'La red está caída: nada se conecta hasta que vuelva a encenderla.',
  ],
  'Network offline': ['Rede desligada', 'Red apagada'],
  'A simulated network on this machine: simulated phones and people that use the real protocol and the real encryption.': [
    'Uma rede simulada nesta máquina: celulares e pessoas simulados que usam o protocolo e a criptografia reais.',
    'Una red simulada en esta máquina: teléfonos y personas simulados que usan el protocolo y el cifrado reales.',
  ],
  'Create a phone, create an instance and scan its code with the phone, then send messages. Every number here is a person who answers a text that begins with {echo}.':
    [
      'Crie um celular, crie uma instância, escaneie o código dela com o celular e envie mensagens. Cada número aqui é uma pessoa que responde a um texto que começa com {echo}.',
      'Cree un teléfono, cree una instancia, escanee su código con el teléfono y envíe mensajes. Cada número es aquí una persona que responde a un texto que empieza por {echo}.',
    ],
  'The phone was created: let it scan a code.': [
    'O celular foi criado: escaneie um código com ele.',
    'El teléfono está creado: escanee un código con él.',
  ],
  'Make a phone': ['Criar um celular', 'Crear un teléfono'],
  "Ana's phone": ['Celular da Ana', 'Teléfono de Ana'],
  'No code is available at the moment; try again.': [
    'Não há código no momento; tente de novo.',
    'No hay código en este momento; intente de nuevo.',
  ],
  'Scanned. The network now requests the passkey.': [
    'Escaneado. A rede agora pede a chave de acesso.',
    'Escaneado. La red pide ahora la clave de acceso.',
  ],
  'Scanned. The instance is logging in.': [
    'Escaneado. A instância está entrando.',
    'Escaneado. La instancia está iniciando sesión.',
  ],
  'No instance is waiting for a phone': ['Nenhuma instância espera um celular', 'Ninguna instancia espera un teléfono'],
  'Create an instance, then come back to scan its code.': [
    'Crie uma instância e volte para escanear o código dela.',
    'Cree una instancia y vuelva para escanear su código.',
  ],
  Scan: ['Escanear', 'Escanear'],
  'Choose a phone': ['Escolha um celular', 'Elija un teléfono'],
  '{instance} is connected.': ['{instance} está conectada.', '{instance} está conectada.'],
  '{instance}: {state}': ['{instance}: {state}', '{instance}: {state}'],
  Phone: ['Celular', 'Teléfono'],
  'Scans the code of': ['Escaneia o código de', 'Escanea el código de'],
  'The phone asks: link this device?': [
    'O celular pergunta: conectar este dispositivo?',
    'El teléfono pregunta: ¿vincular este dispositivo?',
  ],
  'The phone asks: does the device show {code}?': [
    'O celular pergunta: o dispositivo mostra {code}?',
    'El teléfono pregunta: ¿el dispositivo muestra {code}?',
  ],
  Yes: ['Sim', 'Sí'],
  No: ['Não', 'No'],
  'linked device': ['dispositivo conectado', 'dispositivo vinculado'],
  'linked devices': ['dispositivos conectados', 'dispositivos vinculados'],
  'Demands its passkey': ['Exige sua chave de acesso', 'Exige su clave de acceso'],
  Phones: ['Celulares', 'Teléfonos'],
  'No phones yet': ['Ainda não há celulares', 'Todavía no hay teléfonos'],
  'A phone scans the code of an instance.': [
    'Um celular escaneia o código de uma instância.',
    'Un teléfono escanea el código de una instancia.',
  ],
  'No message yet': ['Nenhuma mensagem ainda', 'Ningún mensaje todavía'],
  "Send to {number} from an instance. It is decrypted here, as it would be on the person's phone.": [
    'Envie a {number} de uma instância. A mensagem é decifrada aqui, como seria no celular da pessoa.',
    'Envíe a {number} desde una instancia. El mensaje se descifra aquí, como en el teléfono de la persona.',
  ],
  'Inbox, newest first': ['Recebidas, as mais novas primeiro', 'Recibidos, los más nuevos primero'],
  'from {name}': ['de {name}', 'de {name}'],
  'Write as this person, or send to {number} from {instance}.': [
    'Escreva como esta pessoa, ou envie a {number} de {instance}.',
    'Escriba como esta persona, o envíe a {number} desde {instance}.',
  ],
  'Written.': ['Escrita.', 'Escrito.'],
  'No instance is connected yet, so this person cannot write to one.': [
    'Nenhuma instância está conectada, então esta pessoa não tem a quem escrever.',
    'Ninguna instancia está conectada, así que esta persona no puede escribir a ninguna.',
  ],
  Write: ['Escrever', 'Escribir'],
  'Writes to': ['Escreve para', 'Escribe a'],
  'Add a person': ['Adicionar uma pessoa', 'Añadir una persona'],
  People: ['Pessoas', 'Personas'],
  Conversation: ['Conversa', 'Conversación'],
  Inbox: ['Recebidas', 'Recibidos'],
  'No people yet': ['Ainda não há pessoas', 'Todavía no hay personas'],
  'Add a person here, or send to any number: a number that receives a message becomes a person.': [
    'Adicione uma pessoa aqui, ou envie a qualquer número: o número que recebe uma mensagem se torna uma pessoa.',
    'Añada una persona aquí, o envíe a cualquier número: un número que recibe un mensaje se convierte en una persona.',
  ],
  'Somebody new': ['Alguém novo', 'Alguien nuevo'],
} as const satisfies Area
