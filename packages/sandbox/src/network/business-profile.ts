export interface Product {
  id: string
  name: string
  description: string
  price: number | undefined
  currency: string
  retailerId: string
  url: string
  images: string[]
  isHidden: boolean
  /** Country code of ISO 3166-1 alpha-2. */
  originCountry?: string
  isUnavailable?: boolean
  reviewStatus?: string
}

export interface Collection {
  id: string
  name: string
  productIds: string[]
  status?: string
}

export interface Order {
  id: string
  token: string
  currency: string
  items: { productId: string; name: string; price: number; quantity: number; image: string }[]
}

export interface Hours {
  timezone: string
  days: Record<string, string>[]
}

export interface BusinessProfile {
  address: string
  description: string
  email: string
  websites: string[]
  categories: { id: string; name: string }[]
  hours: Hours | undefined
  cartEnabled: boolean
  hasCoverPhoto?: boolean
  products: Product[]
  collections: Collection[]
  orders: Order[]
}

export function createBusinessProfile(): BusinessProfile {
  return {
    address: '',
    description: '',
    email: '',
    websites: [],
    categories: [{ id: '629412378414563', name: 'Other businesses' }],
    hours: undefined,
    cartEnabled: true,
    products: [],
    collections: [],
    orders: [],
  }
}
