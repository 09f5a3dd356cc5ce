/** Keys of Pix, the Brazilian instant payment, in the form that payment cards of WhatsApp need. */

export const PIX_TYPES = ['cpf', 'cnpj', 'phone', 'email', 'evp'] as const
export type PixType = (typeof PIX_TYPES)[number]

interface PixFormat {
  says: string
  clean?: (key: string) => string
  pattern: RegExp
}

const withoutSeparators = (key: string) => key.replaceAll(/[.\-/]/g, '')

const FORMATS = {
  cpf: { says: '11 digits', clean: withoutSeparators, pattern: /^\d{11}$/ },
  cnpj: { says: '14 characters of 0-9 and A-Z', clean: withoutSeparators, pattern: /^[0-9A-Z]{14}$/ },
  phone: {
    says: '5 to 20 digits after a +',
    clean: (key) => (key.startsWith('+') ? key : `+${key}`),
    pattern: /^\+\d{5,20}$/,
  },
  email: { says: 'an address with one @', pattern: /^[^@]+@[^@]+$/ },
  evp: { says: 'a UUID', pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i },
} as const satisfies Record<PixType, PixFormat>

export const pixFormat = (type: PixType): string => FORMATS[type].says

/** Returns the key in its normal form; undefined if it is not a key of this type. */
export function pixKey(type: PixType, key: string): string | undefined {
  const { clean, pattern }: PixFormat = FORMATS[type]
  const cleaned = clean ? clean(key) : key
  return pattern.test(cleaned) ? cleaned : undefined
}
