/**
 * Texts of the pairing page in its three languages. Those with tags are our own HTML; no text of anybody else is put
 * into them.
 */
import type { FailureCode } from '../domain/failures.ts'
import type { Status } from '../domain/instance.ts'
import type { Language } from '../domain/language.ts'
import { BEFORE_THE_SCAN, PASSKEY_PROBLEMS } from '../domain/passkey-words.ts'

/** Null for English, in which the messages of the API are shown. */
type FailureWords = (Readonly<Partial<Record<FailureCode, string>>> & { otherwise: string }) | null

/** All languages have the texts of the English page. */
export type PairingWords = typeof EN

const EN = {
  title: 'Pair with WhatsApp',
  statuses: {
    created: 'Starting…',
    starting: 'Starting…',
    connecting: 'Connecting…',
    stopped: 'Starting…',
    disconnected: 'No connection. Trying again…',
    logged_out: 'Not connected yet. Preparing a new code…',
    banned: 'WhatsApp has banned this number.',
  } as Readonly<Partial<Record<Status, string>>>,
  /** Instruction for a QR code. */
  scan: 'WhatsApp on the phone: Linked devices, then Link a device, and scan.',
  typeCode: 'WhatsApp on the phone: Linked devices, Link with phone number instead, and type the code.',
  /** `{n}` in the next texts stands for a time. */
  fetching: 'Getting a code…',
  newCode: 'New code in {n} s',
  codeLeft: 'Valid for {n}',
  needsNumber: 'Write the number with its country code, for example 55 11 …',
  mayClose: 'Done. You can close this page.',
  away: 'The service does not answer. This page goes on trying.',
  connected: 'Connected',
  qr: 'QR code to scan',
  number: 'Number with country code',
  getCode: 'Get a code',
  byCode: 'Link with the phone number instead',
  byQr: 'Show the QR code',
  needsScript: 'This page needs JavaScript.',
  ended: 'This link has expired or was revoked. Ask whoever sent it for a new one.',
  used: 'This link has been used. If the number is not connected any more, ask whoever sent it for a new one.',
  paused: 'This page waits, because nobody has used it for a while.',
  goOn: 'Go on',
  /** No code will come, because the instance is paused. */
  isPaused: 'This instance is paused. Whoever manages it can resume it.',
  failures: null as FailureWords,
  passkey: {
    before: BEFORE_THE_SCAN,
    problems: PASSKEY_PROBLEMS,
    wanted: 'WhatsApp wants your passkey before it links this device.',
    fetching: 'WhatsApp wants your passkey; fetching what is to be signed…',
    timeLeft: 'Time left',
    triesLeft: 'tries left',
    tryAgain: 'Then try again.',
    helperAsks: 'The helper asks for the passkey in the other tab.',
    linking: 'Linking…',
    lookAtPhone: 'The passkey was accepted. Look at the phone.',
    compareCode: 'Say yes if the phone asks. If it shows a code, it must be this one:',
    sayYes: 'Say yes if the phone asks. Keep WhatsApp open.',
    notLinked: 'The device was not linked.',
    /**
     * Begins a sentence that an issue of the API completes; a complete sentence in other languages, because issues are
     * in English.
     */
    badAnswer: 'The answer',
    copied: 'Copied.',
    notTheAnswer: 'This is not the answer. Copy it with the button in the box, and paste the whole of it.',
    startOver: 'Start over',
    confirm: 'Confirm with the passkey',
    leavePhone: 'Leave the phone as it is, with WhatsApp open.',
    pressButton:
      'Press the button. WhatsApp Web opens in a new tab; press <em>Confirm</em> there, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.',
    openWhatsapp: 'Open WhatsApp Web',
    openAgain: 'No new tab? Open it with this link.',
    addHelper: 'No box asks you to confirm? Add the helper to this browser',
    helperLink: 'Download the helper',
    helperUnpack: ' and unpack it. It works in Chrome, Edge and other browsers made of Chromium.',
    helperLoad:
      'Open <code>chrome://extensions</code>, switch on <em>Developer mode</em>, press <em>Load unpacked</em>, and choose the folder <code>svc-passkey-extension</code>.',
    helperBack: 'Come back and press <em>Open WhatsApp Web</em> again.',
    byHand: 'Without the helper, by hand',
    copyThis: 'Copy this text. Never paste a text from anywhere else there.',
    textToPaste: 'Text to paste',
    copy: 'Copy the text',
    openByHand: ' in a new tab. You need not log in there.',
    console:
      'Press <kbd>F12</kbd>, choose <em>Console</em>, paste the text and press <kbd>Enter</kbd>. Chrome first wants you to type <code>allow pasting</code>.',
    press:
      'Press <em>Confirm with the passkey</em> in the box, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.',
    pasteHere: 'Press <em>Copy the answer</em>, come back, and paste it here.',
    answer: 'Answer',
    handIn: 'Hand in the answer',
    onPhone: 'My passkey is only on the phone',
    onPhoneHow:
      'Choose <em>Phone or tablet</em> when the browser asks, scan its code with the camera, approve, and go straight back to WhatsApp: it gives up when it is closed.',
    look: 'Look at the phone',
    match: 'They match',
    differ: 'They differ',
  },
}

const PT: PairingWords = {
  title: 'Conectar ao WhatsApp',
  statuses: {
    created: 'Iniciando…',
    starting: 'Iniciando…',
    connecting: 'Conectando…',
    stopped: 'Iniciando…',
    disconnected: 'Sem conexão. Tentando de novo…',
    logged_out: 'Ainda não conectado. Preparando um novo código…',
    banned: 'O WhatsApp baniu este número.',
  },
  scan: 'No celular, abra o WhatsApp: Dispositivos conectados, depois Conectar dispositivo, e escaneie o código.',
  typeCode: 'No celular, abra o WhatsApp: Dispositivos conectados, Conectar com número de telefone, e digite o código.',
  fetching: 'Buscando um código…',
  newCode: 'Novo código em {n} s',
  codeLeft: 'Válido por {n}',
  needsNumber: 'Digite o número com o código do país, por exemplo 55 11 …',
  mayClose: 'Pronto. Você pode fechar esta página.',
  away: 'O serviço não responde. Esta página continua tentando.',
  connected: 'Conectado',
  qr: 'Código QR para escanear',
  number: 'Número com código do país',
  getCode: 'Obter um código',
  byCode: 'Conectar com o número de telefone',
  byQr: 'Mostrar o código QR',
  needsScript: 'Esta página precisa de JavaScript.',
  ended: 'Este link expirou ou foi cancelado. Peça um novo a quem o enviou.',
  used: 'Este link já foi usado. Se o número não está mais conectado, peça um novo a quem o enviou.',
  paused: 'Esta página está em pausa, porque ninguém a usou por um tempo.',
  goOn: 'Continuar',
  isPaused: 'Esta instância está pausada. Quem a administra pode retomá-la.',
  failures: {
    rate_limited: 'Muitas tentativas. Aguarde um minuto.',
    invalid_phone: 'Digite o número com o código do país, só com algarismos.',
    instance_starting: 'Ainda iniciando. Tente de novo em instantes.',
    instance_not_connected: 'Ainda iniciando. Tente de novo em instantes.',
    engine_unavailable: 'O serviço não está disponível agora. Tente de novo em instantes.',
    action_failed: 'O WhatsApp recusou. Tente de novo.',
    send_timeout: 'O WhatsApp não respondeu a tempo. Tente de novo.',
    passkey_not_pending: 'O WhatsApp não está mais pedindo a chave de acesso.',
    otherwise: 'Não funcionou. Tente de novo.',
  },
  passkey: {
    before:
      'Seu WhatsApp usa uma chave de acesso? Então abra esta página em um computador que possa usá-la, e mantenha o WhatsApp aberto no celular até aparecer o sinal verde.',
    problems: {
      refused: 'O WhatsApp não aceitou a chave de acesso. Escolha a chave deste número.',
      no_answer_from_phone:
        'O celular não respondeu. Mantenha o WhatsApp aberto na tela, permita as notificações e verifique se há menos de quatro dispositivos conectados.',
      timed_out: 'O tempo acabou antes de o dispositivo ser conectado.',
      codes_differ: 'Os códigos eram diferentes, por isso nada foi conectado.',
      connection_lost: 'A conexão caiu. Escaneie o novo código.',
    },
    wanted: 'O WhatsApp pede sua chave de acesso antes de conectar este dispositivo.',
    fetching: 'O WhatsApp pede sua chave de acesso; buscando o que deve ser assinado…',
    timeLeft: 'Tempo restante',
    triesLeft: 'tentativas restantes',
    tryAgain: 'Depois tente de novo.',
    helperAsks: 'A extensão pede a chave de acesso na outra aba.',
    linking: 'Conectando o dispositivo…',
    lookAtPhone: 'A chave de acesso foi aceita. Olhe o celular.',
    compareCode: 'Confirme se o celular perguntar. Se ele mostrar um código, deve ser este:',
    sayYes: 'Confirme se o celular perguntar. Mantenha o WhatsApp aberto.',
    notLinked: 'O dispositivo não foi conectado.',
    badAnswer: 'A resposta não pode ser usada. Comece de novo e cole a nova resposta.',
    copied: 'Copiado.',
    notTheAnswer: 'Esta não é a resposta. Copie-a com o botão da caixa e cole-a inteira.',
    startOver: 'Começar de novo',
    confirm: 'Confirme com a chave de acesso',
    leavePhone: 'Deixe o celular como está, com o WhatsApp aberto.',
    pressButton:
      'Pressione o botão. O WhatsApp Web abre em uma nova aba; pressione <em>Confirm</em> ali e use sua digital, seu rosto, seu PIN ou seu gerenciador de senhas. Escolha a chave de acesso deste número.',
    openWhatsapp: 'Abrir o WhatsApp Web',
    openAgain: 'A aba não abriu? Abra com este link.',
    addHelper: 'Nenhuma caixa pede confirmação? Adicione a extensão a este navegador',
    helperLink: 'Baixe a extensão',
    helperUnpack: ' e descompacte o arquivo. Ela funciona no Chrome, no Edge e em outros navegadores baseados no Chromium.',
    helperLoad:
      'Abra <code>chrome://extensions</code>, ative o <em>Modo do desenvolvedor</em>, pressione <em>Carregar sem compactação</em> e escolha a pasta <code>svc-passkey-extension</code>.',
    helperBack: 'Volte e pressione <em>Abrir o WhatsApp Web</em> de novo.',
    byHand: 'Sem a extensão, manualmente',
    copyThis: 'Copie este texto. Nunca cole ali um texto de outro lugar.',
    textToPaste: 'Texto para colar',
    copy: 'Copiar o texto',
    openByHand: ' em uma nova aba. Não é preciso entrar na sua conta ali.',
    console:
      'Pressione <kbd>F12</kbd>, escolha <em>Console</em>, cole o texto e pressione <kbd>Enter</kbd>. O Chrome pede antes que você digite <code>allow pasting</code>.',
    press:
      'Pressione <em>Confirm with the passkey</em> na caixa e use sua digital, seu rosto, seu PIN ou seu gerenciador de senhas. Escolha a chave de acesso deste número.',
    pasteHere: 'Pressione <em>Copy the answer</em>, volte e cole aqui.',
    answer: 'Resposta',
    handIn: 'Enviar a resposta',
    onPhone: 'Minha chave de acesso está só no celular',
    onPhoneHow:
      'Escolha <em>Celular ou tablet</em> quando o navegador perguntar, escaneie o código com a câmera, aprove e volte direto para o WhatsApp: ele desiste quando é fechado.',
    look: 'Olhe o celular',
    match: 'São iguais',
    differ: 'São diferentes',
  },
}

const ES: PairingWords = {
  title: 'Conectar con WhatsApp',
  statuses: {
    created: 'Iniciando…',
    starting: 'Iniciando…',
    connecting: 'Conectando…',
    stopped: 'Iniciando…',
    disconnected: 'Sin conexión. Intentando de nuevo…',
    logged_out: 'Todavía no está conectado. Preparando un código nuevo…',
    banned: 'WhatsApp bloqueó este número.',
  },
  scan: 'En el teléfono, abra WhatsApp: Dispositivos vinculados, luego Vincular un dispositivo, y escanee el código.',
  typeCode: 'En el teléfono, abra WhatsApp: Dispositivos vinculados, Vincular con el número de teléfono, y escriba el código.',
  fetching: 'Buscando un código…',
  newCode: 'Código nuevo en {n} s',
  codeLeft: 'Válido por {n}',
  needsNumber: 'Escriba el número con el código de país, por ejemplo 52 55 …',
  mayClose: 'Listo. Puede cerrar esta página.',
  away: 'El servicio no responde. Esta página sigue intentándolo.',
  connected: 'Conectado',
  qr: 'Código QR para escanear',
  number: 'Número con código de país',
  getCode: 'Obtener un código',
  byCode: 'Vincular con el número de teléfono',
  byQr: 'Mostrar el código QR',
  needsScript: 'Esta página necesita JavaScript.',
  ended: 'Este enlace venció o fue anulado. Pida uno nuevo a quien se lo envió.',
  used: 'Este enlace ya se usó. Si el número ya no está conectado, pida uno nuevo a quien se lo envió.',
  paused: 'Esta página está en pausa, porque nadie la usó por un tiempo.',
  goOn: 'Continuar',
  isPaused: 'Esta instancia está en pausa. Quien la administra puede reanudarla.',
  failures: {
    rate_limited: 'Demasiados intentos. Espere un minuto.',
    invalid_phone: 'Escriba el número con el código de país, solo con cifras.',
    instance_starting: 'Todavía está iniciando. Intente de nuevo en un momento.',
    instance_not_connected: 'Todavía está iniciando. Intente de nuevo en un momento.',
    engine_unavailable: 'El servicio no está disponible ahora. Intente de nuevo en un momento.',
    action_failed: 'WhatsApp lo rechazó. Intente de nuevo.',
    send_timeout: 'WhatsApp no respondió a tiempo. Intente de nuevo.',
    passkey_not_pending: 'WhatsApp ya no pide la llave de acceso.',
    otherwise: 'No funcionó. Intente de nuevo.',
  },
  passkey: {
    before:
      '¿Su WhatsApp usa una llave de acceso? Entonces abra esta página en una computadora que pueda usarla, y mantenga WhatsApp abierto en el teléfono hasta que aparezca la marca verde.',
    problems: {
      refused: 'WhatsApp no aceptó la llave de acceso. Elija la llave de este número.',
      no_answer_from_phone:
        'El teléfono no respondió. Mantenga WhatsApp abierto en la pantalla, permita sus notificaciones y compruebe que haya menos de cuatro dispositivos vinculados.',
      timed_out: 'El tiempo se acabó antes de vincular el dispositivo.',
      codes_differ: 'Los códigos eran distintos, así que no se vinculó nada.',
      connection_lost: 'Se perdió la conexión. Escanee el código nuevo.',
    },
    wanted: 'WhatsApp pide su llave de acceso antes de vincular este dispositivo.',
    fetching: 'WhatsApp pide su llave de acceso; buscando lo que se debe firmar…',
    timeLeft: 'Tiempo restante',
    triesLeft: 'intentos restantes',
    tryAgain: 'Luego intente de nuevo.',
    helperAsks: 'La extensión pide la llave de acceso en la otra pestaña.',
    linking: 'Vinculando el dispositivo…',
    lookAtPhone: 'La llave de acceso fue aceptada. Mire el teléfono.',
    compareCode: 'Confirme si el teléfono pregunta. Si muestra un código, debe ser este:',
    sayYes: 'Confirme si el teléfono pregunta. Mantenga WhatsApp abierto.',
    notLinked: 'El dispositivo no se vinculó.',
    badAnswer: 'La respuesta no se puede usar. Empiece de nuevo y pegue la respuesta nueva.',
    copied: 'Copiado.',
    notTheAnswer: 'Esta no es la respuesta. Cópiela con el botón del cuadro y péguela completa.',
    startOver: 'Empezar de nuevo',
    confirm: 'Confirme con la llave de acceso',
    leavePhone: 'Deje el teléfono como está, con WhatsApp abierto.',
    pressButton:
      'Presione el botón. WhatsApp Web se abre en una pestaña nueva; presione <em>Confirm</em> allí y use su huella, su rostro, su PIN o su administrador de contraseñas. Elija la llave de acceso de este número.',
    openWhatsapp: 'Abrir WhatsApp Web',
    openAgain: '¿No se abrió la pestaña? Ábrala con este enlace.',
    addHelper: '¿Ningún cuadro pide que confirme? Agregue la extensión a este navegador',
    helperLink: 'Descargue la extensión',
    helperUnpack: ' y descomprímala. Funciona en Chrome, Edge y otros navegadores basados en Chromium.',
    helperLoad:
      'Abra <code>chrome://extensions</code>, active el <em>Modo de desarrollador</em>, presione <em>Cargar descomprimida</em> y elija la carpeta <code>svc-passkey-extension</code>.',
    helperBack: 'Vuelva y presione <em>Abrir WhatsApp Web</em> otra vez.',
    byHand: 'Sin la extensión, a mano',
    copyThis: 'Copie este texto. Nunca pegue allí un texto de otro lugar.',
    textToPaste: 'Texto para pegar',
    copy: 'Copiar el texto',
    openByHand: ' en una pestaña nueva. No hace falta iniciar sesión allí.',
    console:
      'Presione <kbd>F12</kbd>, elija <em>Consola</em>, pegue el texto y presione <kbd>Enter</kbd>. Chrome pide antes que escriba <code>allow pasting</code>.',
    press:
      'Presione <em>Confirm with the passkey</em> en el cuadro y use su huella, su rostro, su PIN o su administrador de contraseñas. Elija la llave de acceso de este número.',
    pasteHere: 'Presione <em>Copy the answer</em>, vuelva y pegue la respuesta aquí.',
    answer: 'Respuesta',
    handIn: 'Enviar la respuesta',
    onPhone: 'Mi llave de acceso está solo en el teléfono',
    onPhoneHow:
      'Elija <em>Teléfono o tableta</em> cuando el navegador pregunte, escanee el código con la cámara, apruebe y vuelva directo a WhatsApp: desiste cuando se cierra.',
    look: 'Mire el teléfono',
    match: 'Son iguales',
    differ: 'Son distintos',
  },
}

export const PAIRING_WORDS: Readonly<Record<Language, PairingWords>> = { en: EN, pt: PT, es: ES }
