import type { Area } from './area.ts'

export const PAIRING = {
  'Last linked to {phone}.': ['Conectado por último a {phone}.', 'Vinculado por última vez a {phone}.'],
  'Pair with the phone': ['Conectar ao celular', 'Vincular con el teléfono'],
  'WhatsApp on the phone: Settings, Linked devices, Link a device. Then scan.': [
    'No celular, no WhatsApp: Configurações, Dispositivos conectados, Conectar dispositivo. Depois escaneie.',
    'En el teléfono, en WhatsApp: Ajustes, Dispositivos vinculados, Vincular un dispositivo. Luego escanee.',
  ],
  'This is the sandbox: a real phone cannot scan this code. {link}': [
    'Este é o simulador: um celular de verdade não pode escanear este código. {link}',
    'Este es el simulador: un teléfono real no puede escanear este código. {link}',
  ],
  'Scan it with a simulated phone': ['Escanear com um celular simulado', 'Escanear con un teléfono simulado'],
  'QR code to scan': ['Código QR para escanear', 'Código QR para escanear'],
  'Fetching the code…': ['Buscando o código…', 'Buscando el código…'],
  'Fetching a new code…': ['Buscando um novo código…', 'Buscando un código nuevo…'],
  'New code in {n} s': ['Novo código em {n} s', 'Código nuevo en {n} s'],
  'Link with the phone number instead': ['Conectar com o número de telefone', 'Vincular con el número de teléfono'],
  'Number of the phone': ['Número do celular', 'Número del teléfono'],
  'Write the number with its country code, for example 55 11 …': [
    'Digite o número com o código do país, por exemplo 55 11 …',
    'Escriba el número con el código de país, por ejemplo 52 55 …',
  ],
  'Get a code': ['Obter um código', 'Obtener un código'],
  'On the phone: Linked devices, Link with phone number instead. The code is valid for three minutes.': [
    'No celular: Dispositivos conectados, Conectar com número de telefone. O código vale três minutos.',
    'En el teléfono: Dispositivos vinculados, Vincular con el número de teléfono. El código vale tres minutos.',
  ],
  'Logging in…': ['Entrando…', 'Entrando…'],
  'Reconnecting automatically…': ['Reconectando automaticamente…', 'Reconectando automáticamente…'],
  'The instance is paused. Resume it to go on with the phone that is linked.': [
    'A instância está pausada. Retome-a para continuar com o celular vinculado.',
    'La instancia está en pausa. Reanúdela para seguir con el teléfono vinculado.',
  ],
  'WhatsApp refuses this number. A new code helps only after the ban is lifted, or with another number.': [
    'O WhatsApp recusa este número. Um novo código só ajuda depois do fim do banimento, ou com outro número.',
    'WhatsApp rechaza este número. Un código nuevo solo ayuda cuando termine el bloqueo, o con otro número.',
  ],
  'No session is running. Start one to get a new code.': [
    'Não há sessão. Inicie uma para obter um novo código.',
    'No hay sesión. Inicie una para obtener un código nuevo.',
  ],
  'Show a code anyway': ['Mostrar um código mesmo assim', 'Mostrar un código de todos modos'],
  'Show a QR code': ['Mostrar um código QR', 'Mostrar un código QR'],
  'Connect links': ['Links de conexão', 'Enlaces de vinculación'],
  'Let somebody else pair it': ['Deixar outra pessoa conectar', 'Dejar que otra persona la vincule'],
  'A connect link opens a page with the QR code, in the language of your customer and without a credential.': [
    'Um link de conexão abre uma página com o código QR, no idioma do seu cliente e sem credencial.',
    'Un enlace de vinculación abre una página con el código QR, en el idioma de su cliente y sin credencial.',
  ],
  'This instance has an account, so it needs no connect link. To let somebody else pair it, log out first, or create another instance; its page then makes the link.':
    [
      'Esta instância tem uma conta e não precisa de um link de conexão. Para que outra pessoa a conecte, desconecte a conta primeiro ou crie outra instância; a página dela cria o link.',
      'Esta instancia tiene una cuenta y no necesita un enlace de vinculación. Para que otra persona la vincule, desvincule la cuenta primero o cree otra instancia; su página crea el enlace.',
    ],
  'Create a connect link': ['Criar um link de conexão', 'Crear un enlace de vinculación'],
  'No connect links': ['Nenhum link de conexão', 'Ningún enlace de vinculación'],
  'Links that ended are listed for a week.': [
    'Links encerrados ficam na lista por uma semana.',
    'Los enlaces terminados quedan en la lista una semana.',
  ],
  'Send this link': ['Envie este link', 'Envíe este enlace'],
  'A person who opens it can pair this instance with a phone, and do nothing else. It is shown only now; it ends when the instance is connected.':
    [
      'Quem o abre pode conectar esta instância a um celular, e nada mais. Ele só aparece agora e termina quando a instância se conecta.',
      'Quien lo abre puede vincular esta instancia con un teléfono, y nada más. Se muestra solo ahora y termina cuando la instancia se conecta.',
    ],
  'Valid for': ['Válido por', 'Válido por'],
  'an hour': ['uma hora', 'una hora'],
  'a day': ['um dia', 'un día'],
  'a week': ['uma semana', 'una semana'],
  'Language of the page': ['Idioma da página', 'Idioma de la página'],
  'Your name on the page': ['Seu nome na página', 'Su nombre en la página'],
  Open: ['Aberto', 'Abierto'],
  Used: ['Usado', 'Usado'],
  Expired: ['Expirado', 'Vencido'],
  Link: ['Link', 'Enlace'],
  'Revoke the link of {time}': ['Revogar o link de {time}', 'Anular el enlace de {time}'],
  'Revoke this link?': ['Revogar este link?', '¿Anular este enlace?'],
  'The link is revoked and opens nothing.': ['O link foi revogado e não abre nada.', 'El enlace fue anulado y no abre nada.'],
  'Its page stops working immediately, and a pairing that was begun with it ends.': [
    'A página dele para de funcionar na hora, e uma conexão iniciada com ele termina.',
    'Su página deja de funcionar de inmediato, y una vinculación iniciada con él termina.',
  ],
  'WhatsApp wants the passkey of this account': [
    'O WhatsApp pede a chave de acesso desta conta',
    'WhatsApp pide la llave de acceso de esta cuenta',
  ],
  'Look at the phone': ['Olhe o celular', 'Mire el teléfono'],
  'Ends {time}.': ['Termina {time}.', 'Termina {time}.'],
  'Tries left: {n}.': ['Tentativas restantes: {n}.', 'Intentos restantes: {n}.'],
  'This is not the answer. Copy it with the button in the box, and paste the whole of it.': [
    'Esta não é a resposta. Copie-a com o botão da caixa e cole-a inteira.',
    'Esta no es la respuesta. Cópiela con el botón del cuadro y péguela completa.',
  ],
  'Press the button. WhatsApp Web opens in a new tab; press “Confirm” there, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.':
    [
      'Pressione o botão. O WhatsApp Web abre em uma nova aba; pressione “Confirm” ali e use sua digital, seu rosto, seu PIN ou seu gerenciador de senhas. Escolha a chave de acesso deste número.',
      'Presione el botón. WhatsApp Web se abre en una pestaña nueva; presione “Confirm” allí y use su huella, su rostro, su PIN o su administrador de contraseñas. Elija la llave de acceso de este número.',
    ],
  'Open WhatsApp Web': ['Abrir o WhatsApp Web', 'Abrir WhatsApp Web'],
  'No new tab? Open it with this link.': [
    'A aba não abriu? Abra com este link.',
    '¿No se abrió la pestaña? Ábrala con este enlace.',
  ],
  'The helper asks for the passkey in the other tab.': [
    'A extensão pede a chave de acesso na outra aba.',
    'La extensión pide la llave de acceso en la otra pestaña.',
  ],
  'No box asks you to confirm? Add the helper to this browser': [
    'Nenhuma caixa pede confirmação? Adicione a extensão a este navegador',
    '¿Ningún cuadro pide que confirme? Agregue la extensión a este navegador',
  ],
  'Download the helper': ['Baixe a extensão', 'Descargue la extensión'],
  '{link} and unpack it. It works in Chrome, Edge and other browsers based on Chromium.': [
    '{link} e descompacte o arquivo. Ela funciona no Chrome, no Edge e em outros navegadores baseados no Chromium.',
    '{link} y descomprímala. Funciona en Chrome, Edge y otros navegadores basados en Chromium.',
  ],
  'Open `chrome://extensions`, switch on Developer mode, press “Load unpacked”, and choose the folder `svc-passkey-extension`.': [
    'Abra `chrome://extensions`, ative o Modo do desenvolvedor, pressione “Carregar sem compactação” e escolha a pasta `svc-passkey-extension`.',
    'Abra `chrome://extensions`, active el Modo de desarrollador, presione “Cargar descomprimida” y elija la carpeta `svc-passkey-extension`.',
  ],
  'Come back and press “Open WhatsApp Web” again.': [
    'Volte e pressione “Abrir o WhatsApp Web” de novo.',
    'Vuelva y presione “Abrir WhatsApp Web” otra vez.',
  ],
  'Without the helper, by hand': ['Sem a extensão, manualmente', 'Sin la extensión, a mano'],
  '1. Copy this text': ['1. Copie este texto', '1. Copie este texto'],
  'Never paste a text from anywhere else there.': [
    'Nunca cole ali um texto de outro lugar.',
    'Nunca pegue allí un texto de otro lugar.',
  ],
  'text to paste': ['texto para colar', 'texto para pegar'],
  '2. Open WhatsApp Web': ['2. Abra o WhatsApp Web', '2. Abra WhatsApp Web'],
  '3. Press `F12` there, choose Console, paste the text and press `Enter`. Chrome first wants you to type `allow pasting`.': [
    '3. Pressione `F12` ali, escolha Console, cole o texto e pressione `Enter`. O Chrome pede antes que você digite `allow pasting`.',
    '3. Presione `F12` allí, elija Consola, pegue el texto y presione `Enter`. Chrome pide antes que escriba `allow pasting`.',
  ],
  '4. Press “Confirm with the passkey” in the box, and choose the passkey of this number. Then copy the answer.': [
    '4. Pressione “Confirm with the passkey” na caixa e escolha a chave de acesso deste número. Depois copie a resposta.',
    '4. Presione “Confirm with the passkey” en el cuadro y elija la llave de acceso de este número. Luego copie la respuesta.',
  ],
  '5. Paste the answer': ['5. Cole a resposta', '5. Pegue la respuesta'],
  'Hand in the answer': ['Enviar a resposta', 'Enviar la respuesta'],
  'Look at the phone. Say yes if it asks. If it shows a code, it must be this one:': [
    'Olhe o celular. Confirme se ele perguntar. Se ele mostrar um código, deve ser este:',
    'Mire el teléfono. Confirme si pregunta. Si muestra un código, debe ser este:',
  ],
  'Look at the phone. Say yes if it asks, and keep WhatsApp open.': [
    'Olhe o celular. Confirme se ele perguntar e mantenha o WhatsApp aberto.',
    'Mire el teléfono. Confirme si pregunta y mantenga WhatsApp abierto.',
  ],
  'They match': ['São iguais', 'Son iguales'],
  'They differ': ['São diferentes', 'Son distintos'],
  'Fetching what is to be signed…': ['Buscando o que deve ser assinado…', 'Buscando lo que se debe firmar…'],
  'Leave the phone as it is, with WhatsApp open. The passkey has to be on this computer, or within its reach.': [
    'Deixe o celular como está, com o WhatsApp aberto. A chave de acesso deve estar neste computador ou ao alcance dele.',
    'Deje el teléfono como está, con WhatsApp abierto. La llave de acceso debe estar en esta computadora o a su alcance.',
  ],
} as const satisfies Area
