import type { Area } from './area.ts'

export const WEBHOOKS = {
  'Where events go': ['Para onde vão os eventos', 'Adónde van los eventos'],
  'Each attempt goes to the address that is set here at that time, so a corrected address also receives the events that the wrong one missed.':
    [
      'Cada tentativa vai para o endereço que estiver aqui naquele momento; um endereço corrigido recebe também os eventos que o errado perdeu.',
      'Cada intento va a la dirección que esté aquí en ese momento; una dirección corregida recibe también los eventos que la equivocada perdió.',
    ],
  'Address for all events': ['Endereço para todos os eventos', 'Dirección para todos los eventos'],
  'A different address for each kind': ['Um endereço diferente para cada tipo', 'Una dirección distinta para cada tipo'],
  'Send me': ['Quero receber', 'Quiero recibir'],
  'Of the messages that arrive, send me': [
    'Das mensagens que chegam, quero receber',
    'De los mensajes que llegan, quiero recibir',
  ],
  'Save the address': ['Salvar o endereço', 'Guardar la dirección'],
  'Save the addresses': ['Salvar os endereços', 'Guardar las direcciones'],
  'Save what is sent': ['Salvar o que é enviado', 'Guardar lo que se envía'],
  'Save the kinds of messages': ['Salvar os tipos de mensagens', 'Guardar los tipos de mensajes'],
  'Log of this instance': ['Registro desta instância', 'Registro de esta instancia'],
  'Test delivery': ['Entrega de teste', 'Entrega de prueba'],
  'A sample event of the type, marked as a test, is signed and sent like every other. The result shows the answer of your program.':
    [
      'Um evento de exemplo, marcado como teste, é assinado e enviado como qualquer outro. O resultado mostra a resposta do seu programa.',
      'Un evento de muestra, marcado como prueba, se firma y se envía como cualquier otro. El resultado muestra la respuesta de su programa.',
    ],
  'goes nowhere': ['sem endereço', 'sin dirección'],
  Test: ['Testar', 'Probar'],
  'Your receiver did not take events; they are retried.': [
    'Seu destino não aceitou eventos; novas tentativas serão feitas.',
    'Su receptor no aceptó eventos; se reintentan.',
  ],
  'Your receiver: no event is being retried.': [
    'Seu destino: nenhum evento em nova tentativa.',
    'Su receptor: ningún evento en reintento.',
  ],
  'Since {time}: {answer}': ['Desde {time}: {answer}', 'Desde {time}: {answer}'],
  'See the events': ['Ver os eventos', 'Ver los eventos'],
  'Test all': ['Testar todos', 'Probar todos'],
  'Send a test event of {type}': ['Enviar um evento de teste de {type}', 'Enviar un evento de prueba de {type}'],
  Taken: ['Aceito', 'Aceptado'],
  'Not taken': ['Não aceito', 'No aceptado'],
  Secret: ['Segredo', 'Secreto'],
  'The secret signs every delivery. Your program uses it to verify that an event is genuine.': [
    'O segredo assina cada entrega. Seu programa o usa para conferir que um evento é autêntico.',
    'El secreto firma cada entrega. Su programa lo usa para comprobar que un evento es auténtico.',
  ],
  'Create a new secret?': ['Criar um novo segredo?', '¿Crear un nuevo secreto?'],
  'The instance has a new secret.': ['A instância tem um novo segredo.', 'La instancia tiene un nuevo secreto.'],
  'How long the current secret stays valid': [
    'Por quanto tempo o segredo atual também assina',
    'Cuánto tiempo firma también el secreto actual',
  ],
  'Not at all: receivers need the new secret immediately': [
    'Ele para de assinar na hora: os destinos já precisam do novo segredo',
    'Deja de firmar de inmediato: los receptores ya necesitan el nuevo secreto',
  ],
  'For an hour': ['Por uma hora', 'Por una hora'],
  'For a day': ['Por um dia', 'Por un día'],
  'Nobody answers at this address (the connection was refused).': [
    'Ninguém responde neste endereço (a conexão foi recusada).',
    'Nadie responde en esta dirección (la conexión fue rechazada).',
  ],
  'No answer in time.': ['Não houve resposta a tempo.', 'No hubo respuesta a tiempo.'],
  'The name of the server is not known.': ['O nome do servidor não é conhecido.', 'El nombre del servidor no se conoce.'],
  'The certificate of the server is not valid.': [
    'O certificado do servidor não é válido.',
    'El certificado del servidor no es válido.',
  ],
  'Addresses of private networks are not allowed.': [
    'Endereços de redes privadas não são permitidos.',
    'No se permiten direcciones de redes privadas.',
  ],
  'The webhook of this type is switched off.': [
    'O webhook deste tipo está desativado.',
    'El webhook de este tipo está desactivado.',
  ],
  'Too many events were waiting.': ['Havia eventos demais na fila.', 'Había demasiados eventos en espera.'],
  'The stored event cannot be read.': ['O evento guardado não pode ser lido.', 'El evento guardado no se puede leer.'],
  'The service had an error; its log has the details.': [
    'O serviço teve um erro; o registro dele tem os detalhes.',
    'El servicio tuvo un error; su registro tiene los detalles.',
  ],
  'The connection broke.': ['A conexão caiu.', 'La conexión se cortó.'],
  'The server answers with another address; use that one.': [
    'O servidor responde com outro endereço; use aquele.',
    'El servidor responde con otra dirección; use esa.',
  ],
} as const satisfies Area
