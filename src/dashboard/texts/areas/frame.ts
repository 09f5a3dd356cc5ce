import type { Area } from './area.ts'

export const FRAME = {
  Live: ['Ao vivo', 'En vivo'],
  Reconnecting: ['Reconectando', 'Reconectando'],
  Menu: ['Menu', 'Menú'],
  Pages: ['Páginas', 'Páginas'],
  'Page not found': ['Página não encontrada', 'Página no encontrada'],
  'There is no page at this address. Check whether all of it was copied.': [
    'Não há nenhuma página neste endereço. Confira se ele foi copiado por inteiro.',
    'No hay ninguna página en esta dirección. Compruebe si se copió completa.',
  ],
  Language: ['Idioma', 'Idioma'],
  'Skip to the content': ['Ir para o conteúdo', 'Ir al contenido'],
  '{page} · svc dashboard': ['{page} · painel svc', '{page} · panel svc'],
  'Key {name}: {rights}': ['Chave {name}: {rights}', 'Clave {name}: {rights}'],
  'what it may do': ['o que ela pode fazer', 'lo que puede hacer'],
  'API reference': ['Referência da API', 'Referencia de la API'],
  'Sign out': ['Sair', 'Cerrar sesión'],
  'Sign in': ['Entrar', 'Entrar'],
  'Admin key or API key': ['Chave de administrador ou chave de API', 'Clave de administrador o clave de API'],
  'The admin key was printed once, at the first start. Lost it? The operator command `admin-key reset` makes a new one.': [
    'A chave de administrador foi mostrada uma vez, no primeiro início. Perdeu? O comando de operador `admin-key reset` cria outra.',
    'La clave de administrador se mostró una vez, en el primer inicio. ¿La perdió? El comando de operador `admin-key reset` crea otra.',
  ],
  'That key is not right. Use the admin key (svc_admin_…), or an API key (svc_key_…) that has instances:read.': [
    'Esta chave não está certa. Use a chave de administrador (svc_admin_…) ou uma chave de API (svc_key_…) que tenha instances:read.',
    'Esta clave no es correcta. Use la clave de administrador (svc_admin_…) o una clave de API (svc_key_…) que tenga instances:read.',
  ],
  'Your session has ended. Sign in again to continue where you were.': [
    'Sua sessão terminou. Entre de novo para continuar de onde estava.',
    'Su sesión terminó. Entre de nuevo para seguir donde estaba.',
  ],
  'The service does not answer. You see the data of {time}; this page continues by itself.': [
    'O serviço não responde. Você vê o que se sabia em {time}; esta página continua sozinha.',
    'El servicio no responde. Usted ve lo que se sabía el {time}; esta página sigue sola.',
  ],
  'The service does not answer. It may be restarting: try again in a moment.': [
    'O serviço não responde. Talvez esteja reiniciando: tente de novo em instantes.',
    'El servicio no responde. Puede que se esté reiniciando: intente de nuevo en un momento.',
  ],
  'The service answered {status} without a reason.': [
    'O serviço respondeu {status} sem dizer o motivo.',
    'El servicio respondió {status} sin decir el motivo.',
  ],
  'Try again in {n} s.': ['Tente de novo em {n} s.', 'Intente de nuevo en {n} s.'],
  'Only the admin key may do this.': [
    'Só a chave de administrador pode fazer isto.',
    'Solo la clave de administrador puede hacer esto.',
  ],
  'The API key lacks the scope {scope}.': [
    'Falta à chave de API a permissão {scope}.',
    'A la clave de API le falta el permiso {scope}.',
  ],
  Colours: ['Cores', 'Colores'],
  'Colours of the system': ['Cores do sistema', 'Colores del sistema'],
  Light: ['Claro', 'Claro'],
  Dark: ['Escuro', 'Oscuro'],
} as const satisfies Area
