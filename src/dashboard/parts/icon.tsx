const PATHS = {
  brand: 'M4 5h16v11H9l-5 4zM8.5 10.5l2.5 2.5 4.5-5',
  instances: 'M7 3h10v18H7zM11 18h2',
  log: 'M4 6h16M4 12h10M4 18h7M17 15l3 3-3 3',
  messages: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
  events: 'M13 3L5 14h6l-1 7 8-11h-6z',
  timeline: 'M12 7v5l3 2M21 12a9 9 0 1 1-3-6.7M21 3v4h-4',
  access: 'M14 4a6 6 0 1 1-2 11.700L10 18H8v2H4v-4l6-6a6 6 0 0 1 4-6zM16 8h.01',
  usage: 'M4 20V10h4v10zM10 20V4h4v16zM16 20v-7h4v7z',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  sandbox: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  show: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
)
