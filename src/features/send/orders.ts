/** Orders and their payment, as two operations take them. Amounts are in units of the currency. */
import { z } from 'zod'
import { MAX_TOTAL, totalsOf } from '../../domain/amounts.ts'
import { PIX_TYPES } from '../../domain/pix.ts'
import { integer, oneOf, text } from '../fields.ts'

const amount = z.number().min(0).max(1_000_000_000)

const price = amount
  .refine((value) => Number(value.toFixed(2)) === value, 'must have at most 2 decimals')
  .meta({ description: 'Unit price, at most 2 decimals.' })

const product = {
  name: text(1, 256),
  value: price,
  quantity: integer(1, 99_999),
  product_id: text(1, 64).optional().meta({ description: 'Absent: a custom item, whose id the service creates.' }),
}

const order = {
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/, 'must be an ISO 4217 code of 3 letters')
    .transform((value) => value.toUpperCase())
    .meta({ description: 'ISO 4217.', examples: ['BRL'] }),
  discount: amount.default(0),
  tax: amount.default(0),
  shipping: amount.default(0),
  order_id: text(1, 64).optional().meta({ description: 'Default: 15 random digits.' }),
  title: text(1, 256).optional().meta({ description: 'Default: name of the first product.' }),
  reference_id: z
    .string()
    .regex(/^[0-9A-Z]{1,35}$/, 'must be 1 to 35 characters of 0-9 and A-Z')
    .optional()
    .meta({ description: 'Default: 11 random characters.' }),
}

/** Lines - discount + tax + shipping. */
function checkTotal(value: Parameters<typeof totalsOf>[0], context: z.RefinementCtx): void {
  if (context.issues.length > 0) return
  const { total } = totalsOf(value)
  if (total < 0) context.addIssue({ code: 'custom', message: 'must have a total of 0 or more' })
  if (total > MAX_TOTAL) context.addIssue({ code: 'custom', message: `must have a total of at most ${MAX_TOTAL / 100}` })
}

const TOTAL = `Its total, lines - \`discount\` + \`tax\` + \`shipping\`, must be 0 to ${MAX_TOTAL / 100}.`

export const newOrder = z
  .object({ ...order, products: z.array(z.object(product)).min(1).max(100) })
  .superRefine(checkTotal)
  .meta({ description: TOTAL })

export const shownOrder = z
  .object({
    ...order,
    products: z
      .array(
        z.object({
          ...product,
          is_custom_item: z.boolean().optional().meta({ description: 'Default: its id begins with `custom-item-`.' }),
        }),
      )
      .min(1)
      .max(100),
  })
  .superRefine(checkTotal)
  .meta({ description: `Absent: the status alone is told. ${TOTAL}` })

/** What both have. */
export type Order = z.output<typeof shownOrder>

export const paymentSettings = z
  .object({
    pix: z.object({ key: text(1, 140), key_type: oneOf(PIX_TYPES), name: text(1, 60) }).optional(),
    card: z.object({ enabled: z.boolean() }).optional(),
  })
  .refine(({ pix, card }) => pix !== undefined || card !== undefined, 'must have pix or card')
  .meta({ description: 'At least one of the two; not together with `token`.' })

export type PaymentSettings = z.output<typeof paymentSettings>
