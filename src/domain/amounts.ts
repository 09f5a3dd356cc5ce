/** Amounts of orders in cents. The network's payment cards use the same unit (`value` with `offset` 100). */

export interface Priced {
  products: readonly { value: number; quantity: number }[]
  discount: number
  tax: number
  shipping: number
}

export interface Totals {
  subtotal: number
  discount: number
  tax: number
  shipping: number
  total: number
}

export const toCents = (amount: number): number => Math.round(amount * 100)

/**
 * Largest total in cents. Order cards contain the total in thousandths, and the thousandths of a larger total would not
 * be an exact integer.
 */
export const MAX_TOTAL = Math.floor(Number.MAX_SAFE_INTEGER / 10)

export function totalsOf({ products, ...order }: Priced): Totals {
  const subtotal = products.reduce((sum, { value, quantity }) => sum + toCents(value) * quantity, 0)
  const discount = toCents(order.discount)
  const tax = toCents(order.tax)
  const shipping = toCents(order.shipping)
  return { subtotal, discount, tax, shipping, total: subtotal - discount + tax + shipping }
}
