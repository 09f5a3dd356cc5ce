/** Translations of sentences that the service writes: states of instances, failures, and rights of keys. */
import type { Area } from './area.ts'

export const SERVICE = {
  'The session has not been started yet.': ['A sessão ainda não foi iniciada.', 'La sesión todavía no se inició.'],
  'The session is starting.': ['A sessão está iniciando.', 'La sesión se está iniciando.'],
  'The instance was paused by request; resume it to send and receive again.': [
    'A instância foi pausada a pedido; retome-a para voltar a enviar e receber.',
    'La instancia se puso en pausa a pedido; reanúdela para volver a enviar y recibir.',
  ],
  'The instance is not linked, so there is nothing to pause.': [
    'A instância não está vinculada a um celular; não há o que pausar.',
    'La instancia no está vinculada; no hay nada que pausar.',
  ],
  'The account is banned, so there is nothing to pause.': [
    'A conta está banida; não há o que pausar.',
    'La cuenta está bloqueada; no hay nada que pausar.',
  ],
  'The instance is not paused.': ['A instância não está pausada.', 'La instancia no está en pausa.'],
  'The session is starting after an engine restart.': [
    'A sessão está iniciando depois de um reinício do serviço.',
    'La sesión se está iniciando tras un reinicio del servicio.',
  ],
  'The network reported a stream error; reconnecting.': [
    'A rede informou um erro na conexão; reconectando.',
    'La red informó un error en la conexión; reconectando.',
  ],
  'The network refused the login; reconnecting.': [
    'A rede recusou a entrada; reconectando.',
    'La red rechazó el acceso; reconectando.',
  ],
  'The network rejected the client version; updating and reconnecting.': [
    'A rede recusou a versão do cliente; atualizando e reconectando.',
    'La red rechazó la versión del cliente; actualizando y reconectando.',
  ],
  'The network rejected the client version; update the service and restart.': [
    'A rede recusou a versão do cliente; atualize o serviço e reinicie.',
    'La red rechazó la versión del cliente; actualice el servicio y reinicie.',
  ],
  'The account cannot use linked devices; update the app on the phone.': [
    'A conta não pode usar dispositivos conectados; atualize o aplicativo no celular.',
    'La cuenta no puede usar dispositivos vinculados; actualice la aplicación en el teléfono.',
  ],
  'The session is not running; request a QR code to start it.': [
    'Não há sessão; peça um código QR para iniciá-la.',
    'No hay sesión; pida un código QR para iniciarla.',
  ],
  'Waiting for the QR code or pairing code to be accepted on the phone.': [
    'Aguardando que o código seja aceito no celular.',
    'Esperando que el código se acepte en el teléfono.',
  ],
  'Logging in to the account.': ['Entrando na conta.', 'Entrando en la cuenta.'],
  'The connection to the network was lost; reconnecting.': [
    'A conexão com a rede caiu; reconectando.',
    'Se perdió la conexión con la red; reconectando.',
  ],
  'The network closed the connection; reconnecting.': [
    'A rede fechou a conexão; reconectando.',
    'La red cerró la conexión; reconectando.',
  ],
  'The network is temporarily unavailable; reconnecting.': [
    'A rede está indisponível por enquanto; reconectando.',
    'La red no está disponible por ahora; reconectando.',
  ],
  'The pairing was not confirmed; pair again.': [
    'A conexão não foi confirmada; conecte de novo.',
    'La vinculación no se confirmó; vincule de nuevo.',
  ],
  'The connect link expired or was revoked before the phone was linked; pair again.': [
    'O link de conexão venceu ou foi revogado antes de o celular ser conectado; conecte de novo.',
    'El enlace de conexión venció o se revocó antes de vincular el teléfono; vincule de nuevo.',
  ],
  'The linked device was removed on the phone; pair again.': [
    'O dispositivo foi removido no celular; conecte de novo.',
    'El dispositivo se quitó en el teléfono; vincule de nuevo.',
  ],
  'The account was disconnected with the API or the dashboard, not on the phone; pair again.': [
    'A conta foi desconectada pela API ou pelo painel, e não no celular; conecte de novo.',
    'La cuenta se desvinculó desde la API o el panel, no en el teléfono; vincule de nuevo.',
  ],
  'The network ended the session of this account; open the app on the phone and pair again.': [
    'A rede encerrou a sessão desta conta; abra o aplicativo no celular e conecte de novo.',
    'La red terminó la sesión de esta cuenta; abra la aplicación en el teléfono y vincule de nuevo.',
  ],
  'The network banned this account.': ['A rede baniu esta conta.', 'La red bloqueó esta cuenta.'],
  'The saved session is damaged; restart it or pair again.': [
    'A sessão salva está danificada; reinicie ou conecte de novo.',
    'La sesión guardada está dañada; reiníciela o vincule de nuevo.',
  ],
  'The same session was opened somewhere else; restart it here to take over.': [
    'A mesma sessão foi aberta em outro lugar; reinicie aqui para assumi-la.',
    'La misma sesión se abrió en otro lugar; reiníciela aquí para tomarla.',
  ],
  'The account was moved to another program, so it is not started here.': [
    'A conta foi movida para outro programa e não é iniciada aqui.',
    'La cuenta se trasladó a otro programa y no se inicia aquí.',
  ],
  'The QR code was not read in time; request it again.': [
    'O código QR não foi lido a tempo; peça outro.',
    'El código QR no se leyó a tiempo; pida otro.',
  ],
  'The session could not be started.': ['A sessão não pôde ser iniciada.', 'La sesión no se pudo iniciar.'],
  'The configured proxy refused the connection.': [
    'O proxy configurado recusou a conexão.',
    'El proxy configurado rechazó la conexión.',
  ],
  'The instance is not connected.': ['A instância não está conectada.', 'La instancia no está conectada.'],
  'The instance is starting; try again in a moment.': [
    'A instância está iniciando; tente de novo em instantes.',
    'La instancia se está iniciando; intente de nuevo en un momento.',
  ],
  'All instance slots of the plan are in use; delete an instance, or ask the administrator for more slots.': [
    'Todas as vagas do plano estão em uso; exclua uma instância ou peça mais vagas ao administrador.',
    'Todos los lugares del plan están en uso; elimine una instancia o pida más lugares al administrador.',
  ],
  'The request is not valid.': ['A requisição não é válida.', 'La solicitud no es válida.'],
  'This number has no WhatsApp account.': ['Este número não tem WhatsApp.', 'Este número no tiene WhatsApp.'],
  'WhatsApp did not accept the passkey. Choose the passkey of this number.': [
    'O WhatsApp não aceitou a chave de acesso. Escolha a chave deste número.',
    'WhatsApp no aceptó la llave de acceso. Elija la llave de este número.',
  ],
  'The time limit was reached before the device was linked.': [
    'O tempo acabou antes de o dispositivo ser conectado.',
    'El tiempo se acabó antes de vincular el dispositivo.',
  ],
  'The codes differed, so nothing was linked.': [
    'Os códigos eram diferentes, por isso nada foi conectado.',
    'Los códigos eran distintos, así que no se vinculó nada.',
  ],
  'The connection was lost. Scan the new code.': [
    'A conexão caiu. Escaneie o novo código.',
    'Se perdió la conexión. Escanee el código nuevo.',
  ],
  'Does your WhatsApp use a passkey? Then open this page on a computer that can use it, and keep WhatsApp open on the phone until the green tick.':
    [
      'Seu WhatsApp usa uma chave de acesso? Então abra esta página em um computador que possa usá-la, e mantenha o WhatsApp aberto no celular até aparecer o sinal verde.',
      '¿Su WhatsApp usa una llave de acceso? Entonces abra esta página en una computadora que pueda usarla, y mantenga WhatsApp abierto en el teléfono hasta que aparezca la marca verde.',
    ],
} as const satisfies Area
