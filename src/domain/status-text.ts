export const STATUS_BACKGROUND = '#25D366'
export const STATUS_FONT = 0
