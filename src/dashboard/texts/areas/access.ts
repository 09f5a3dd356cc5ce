import type { Area } from './area.ts'

export const ACCESS = {
  'Keys and access': ['Chaves e acesso', 'Claves y acceso'],
  'Views of keys and access': ['Partes de chaves e acesso', 'Partes de claves y acceso'],
  'API keys': ['Chaves de API', 'Claves de API'],
  Requirements: ['Exigências', 'Requisitos'],
  Plan: ['Plano', 'Plan'],
  'Admin key and sessions': ['Chave de administrador e sessões', 'Clave de administrador y sesiones'],
  'Your address {address} would be locked out': [
    'Seu endereço {address} ficaria sem acesso',
    'Su dirección {address} quedaría sin acceso',
  ],
  'of instances and the Account API. The dashboard stays open, so that you can correct the list.': [
    'às instâncias e à Account API. O painel continua aberto, para você corrigir a lista.',
    'a las instancias y a la Account API. El panel sigue abierto, para que pueda corregir la lista.',
  ],
  'Saved. It takes effect now.': ['Salvo. Já está valendo.', 'Guardado. Ya tiene efecto.'],
  'This is not an address or a range such as 203.0.113.0/24.': [
    'Isto não é um endereço nem uma faixa como 203.0.113.0/24.',
    'Esto no es una dirección ni un rango como 203.0.113.0/24.',
  ],
  'Addresses that may call': ['Endereços com acesso', 'Direcciones con acceso'],
  'Only these addresses may use instances, the Account API, tools, and this dashboard with an API key. The admin key works from every address.':
    [
      'Só estes endereços podem usar as instâncias, a Account API, as ferramentas, e este painel com uma chave de API. A chave de administrador funciona de qualquer endereço.',
      'Solo estas direcciones pueden usar las instancias, la Account API, las herramientas, y este panel con una clave de API. La clave de administrador funciona desde cualquier dirección.',
    ],
  'The list is enforced': ['A lista está valendo', 'La lista está en vigor'],
  'Address or range {n}': ['Endereço ou faixa {n}', 'Dirección o rango {n}'],
  Note: ['Nota', 'Nota'],
  office: ['escritório', 'oficina'],
  'Remove address {n}': ['Remover o endereço {n}', 'Quitar la dirección {n}'],
  'The list is empty. Add your own address first.': [
    'A lista está vazia. Adicione primeiro o seu próprio endereço.',
    'La lista está vacía. Agregue primero su propia dirección.',
  ],
  'Add an address': ['Adicionar um endereço', 'Agregar una dirección'],
  me: ['eu', 'yo'],
  'Add mine ({address})': ['Adicionar o meu ({address})', 'Agregar la mía ({address})'],
  'Save anyway': ['Salvar mesmo assim', 'Guardar de todos modos'],
  'The client token works.': ['O client token funciona.', 'El client token funciona.'],
  'Import a client token': ['Importar um client token', 'Importar un client token'],
  'Client token': ['Client token', 'Client token'],
  'The token of the service that you used before. Programs that send it as `Client-Token` need no change. A workspace has at most one.':
    [
      'O token do serviço que você usava antes. Programas que o enviam como `Client-Token` continuam sem mudança. Um espaço tem no máximo um.',
      'El token del servicio que usaba antes. Los programas que lo envían como `Client-Token` siguen sin cambios. Un espacio tiene uno como máximo.',
    ],
  '8 to 128 characters.': ['De 8 a 128 caracteres.', 'De 8 a 128 caracteres.'],
  'The key': ['A chave', 'La clave'],
  'I have it': ['Já copiei', 'Ya la tengo'],
  'The key is shown only once, because only its hash is stored. Copy it now.': [
    'A chave só aparece uma vez, porque só o hash dela fica guardado. Copie agora.',
    'La clave se muestra una sola vez, porque solo se guarda su hash. Cópiela ahora.',
  ],
  'Change the key': ['Alterar a chave', 'Cambiar la clave'],
  'Create a key': ['Criar uma chave', 'Crear una clave'],
  'Name of the program that uses the key.': ['Nome do programa que usa a chave.', 'Nombre del programa que usa la clave.'],
  'What it may do': ['O que ela pode fazer', 'Lo que puede hacer'],
  'A key is for all instances of this workspace. A program that needs only one instance uses its token.': [
    'Uma chave vale para todas as instâncias deste espaço. Um programa que precisa de uma só instância usa o token dela.',
    'Una clave vale para todas las instancias de este espacio. Un programa que necesita una sola instancia usa su token.',
  ],
  'No key can only send: the smallest scope that can send, instances:operate, can also receive and do everything else.': [
    'Nenhuma chave serve só para enviar: a menor permissão que envia, instances:operate, também recebe e faz todo o resto.',
    'Ninguna clave sirve solo para enviar: el permiso más pequeño que envía, instances:operate, también recibe y hace todo lo demás.',
  ],
  'Use all instances: send, receive and everything else': [
    'Usar todas as instâncias: enviar, receber e todo o resto',
    'Usar todas las instancias: enviar, recibir y todo lo demás',
  ],
  'A call to an instance has its token in the address. It needs such a key, too, only if “Requirements” says so. In the dashboard, together with instances:read, the key can pair, send and see the queue.':
    [
      'Uma chamada a uma instância tem o token dela no endereço. Ela só precisa também de uma chave destas se “Exigências” pedir. No painel, com instances:read: conectar, enviar, ver a fila.',
      'Una llamada a una instancia tiene su token en la dirección. Solo necesita además una clave como esta si “Requisitos” la pide. En el panel, con instances:read: vincular, enviar, ver la cola.',
    ],
  'List the instances': ['Listar as instâncias', 'Listar las instancias'],
  'This includes their tokens and webhook secrets. The key also opens this dashboard, but can change nothing there.': [
    'Com os tokens e os segredos dos webhooks. Abre este painel, só para olhar.',
    'Con sus tokens y los secretos de sus webhooks. Abre este panel, solo para mirar.',
  ],
  'Create, change and delete instances': ['Criar, alterar e excluir instâncias', 'Crear, cambiar y eliminar instancias'],
  'Read the webhooks': ['Ler os webhooks', 'Leer los webhooks'],
  'This includes their secret. In the dashboard, the key also opens the webhook log.': [
    'Com o segredo deles. No painel, também o registro de webhooks.',
    'Con su secreto. En el panel, también el registro de webhooks.',
  ],
  'Change the webhooks of all instances': [
    'Alterar os webhooks de todas as instâncias',
    'Cambiar los webhooks de todas las instancias',
  ],
  'In the dashboard, together with webhooks:read, the key can also send events again.': [
    'No painel, com webhooks:read, também reenviar eventos.',
    'En el panel, con webhooks:read, también reenviar eventos.',
  ],
  May: ['Pode', 'Puede'],
  'May not': ['Não pode', 'No puede'],
  'Last used': ['Último uso', 'Último uso'],
  'Change {name}': ['Alterar {name}', 'Cambiar {name}'],
  'Revoke {name}': ['Revogar {name}', 'Anular {name}'],
  'Revoke {name}?': ['Revogar {name}?', '¿Anular {name}?'],
  'Programs use API keys. The Account API always requires one; calls to an instance only require one if the requirements say so.':
    [
      'Programas usam chaves de API. A Account API sempre exige uma; chamadas a uma instância só exigem se as exigências disserem.',
      'Los programas usan claves de API. La Account API siempre exige una; las llamadas a una instancia solo la exigen si los requisitos lo dicen.',
    ],
  'No keys yet': ['Ainda não há chaves', 'Todavía no hay claves'],
  'Create one key for each program, with only the scopes it needs, so that you can revoke each key separately.': [
    'Crie uma chave por programa, só com as permissões necessárias, para poder revogar cada uma separadamente.',
    'Cree una clave por programa, solo con los permisos que necesita, para poder anular cada una por separado.',
  ],
  'The key is revoked and no longer works.': [
    'A chave foi revogada e não funciona mais.',
    'La clave fue anulada y ya no funciona.',
  ],
  'Programs that use it are refused immediately. This cannot be undone; a new key has a different value.': [
    'Programas que a usam são recusados na hora. Não é possível desfazer; uma chave nova tem outro valor.',
    'Los programas que la usan se rechazan de inmediato. No se puede deshacer; una clave nueva tiene otro valor.',
  ],
  Page: ['Página', 'Página'],
  'This key': ['Esta chave', 'Esta clave'],
  'Your key': ['Sua chave', 'Su clave'],
  'You signed in with this key. Its owner decides what it may do and can change or revoke it at any time. What it may not do is refused by the service, too.':
    [
      'Você entrou com esta chave. O dono decide o que ela pode fazer e pode mudá-la ou revogá-la a qualquer momento. O que ela não pode, o serviço também recusa.',
      'Usted entró con esta clave. Su dueño decide lo que puede hacer y puede cambiarla o anularla en cualquier momento. Lo que no puede, el servicio también lo rechaza.',
    ],
  'Valid until': ['Válido até', 'Válido hasta'],
  'Trial ends': ['Fim do teste', 'Fin de la prueba'],
  'Slots in use': ['Vagas em uso', 'Lugares en uso'],
  Workspace: ['Espaço de trabalho', 'Espacio de trabajo'],
  'How many instances this workspace may have.': [
    'Quantas instâncias este espaço pode ter.',
    'Cuántas instancias puede tener este espacio.',
  ],
  'Advanced: suspend the workspace, or let it end': [
    'Avançado: suspender o espaço ou deixá-lo terminar',
    'Avanzado: suspender el espacio o dejar que termine',
  ],
  'You set the plan yourself; it costs nothing. It never stops a session.': [
    'Você decide o plano; não se paga nada por ele. Ele nunca encerra uma sessão.',
    'Usted decide el plan; no se paga nada por él. Nunca termina una sesión.',
  ],
  'Credentials that callers of an instance must send': [
    'Credenciais que quem chama uma instância deve enviar',
    'Credenciales que debe enviar quien llama a una instancia',
  ],
  'These come in addition to the token in the address. Keys of this workspace that may operate instances: {n}.': [
    'Elas se somam ao token no endereço. Chaves deste espaço que podem operar instâncias: {n}.',
    'Se suman al token de la dirección. Claves de este espacio que pueden operar instancias: {n}.',
  ],
  'An API key': ['Uma chave de API', 'Una clave de API'],
  'The key goes in Authorization: Bearer and needs the scope instances:operate.': [
    'A chave vai em Authorization: Bearer e precisa da permissão instances:operate.',
    'La clave va en Authorization: Bearer y necesita el permiso instances:operate.',
  ],
  'A client token': ['Um client token', 'Un client token'],
  'The header Client-Token holds an API key or the imported token.': [
    'O cabeçalho Client-Token tem uma chave de API ou o token importado.',
    'El encabezado Client-Token tiene una clave de API o el token importado.',
  ],
  'this one': ['esta', 'esta'],
  Key: ['Chave', 'Clave'],
  'Admin key': ['Chave de administrador', 'Clave de administrador'],
  'admin key': ['chave de administrador', 'clave de administrador'],
  'Signed in': ['Entrou', 'Entró'],
  Ends: ['Termina', 'Termina'],
  End: ['Encerrar', 'Terminar'],
  'End the session from {address}': ['Encerrar a sessão de {address}', 'Terminar la sesión de {address}'],
  'SVC_ADMIN_KEY sets the admin key: change it there, and restart the service.': [
    'SVC_ADMIN_KEY define a chave de administrador: mude lá e reinicie o serviço.',
    'SVC_ADMIN_KEY define la clave de administrador: cámbiela allí y reinicie el servicio.',
  ],
  'Anyone who has it can do everything. Rotate it when somebody who knew it leaves.': [
    'Quem a tem pode tudo. Troque-a quando alguém que a conhecia sair.',
    'Quien la tiene puede todo. Renuévela cuando se vaya alguien que la conocía.',
  ],
  'Create a new admin key?': ['Criar uma nova chave de administrador?', '¿Crear una nueva clave de administrador?'],
  'The current key stops working immediately, and everybody who signed in with it is signed out, including you. The new key is shown once.':
    [
      'A chave atual deixa de funcionar na hora, e todos que entraram com ela saem, inclusive você. A nova chave aparece uma vez.',
      'La clave actual deja de funcionar de inmediato y se cierra la sesión de todos los que entraron con ella, también la suya. La nueva clave se muestra una vez.',
    ],
  'The new admin key': ['A nova chave de administrador', 'La nueva clave de administrador'],
  'I have copied it: sign in again': ['Já copiei: entrar de novo', 'Ya la copié: entrar de nuevo'],
  'The key is shown only once. You are signed out: sign in with this key.': [
    'A chave só aparece uma vez. Você saiu: entre com esta chave.',
    'La clave se muestra una sola vez. Su sesión se cerró: entre con esta clave.',
  ],
  'The session was ended.': ['A sessão foi encerrada.', 'La sesión fue terminada.'],
  Sessions: ['Sessões', 'Sesiones'],
  'Signed in to this dashboard': ['Quem está neste painel', 'Quién está en este panel'],
  'A session ends with its key, half an hour after its last use, and after twelve hours at the latest. A restart of the service does not end it. An open tab counts as use.':
    [
      'Uma sessão termina com a chave, meia hora depois do último uso e no máximo após doze horas. Um reinício do serviço não a encerra. Uma aba aberta conta como uso.',
      'Una sesión termina con su clave, media hora después del último uso y a las doce horas como máximo. Un reinicio del servicio no la termina. Una pestaña abierta cuenta como uso.',
    ],
} as const satisfies Area
