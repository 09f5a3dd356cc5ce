import { z } from 'zod'
import { MAX_TOTAL, totalsOf } from '../../domain/amounts.ts'
import { PIX_TYPES } from '../../domain/pix.ts'
import { integer, oneOf, text } from '../fields.ts'

const amount = z.number().min(0).max(1_000_000_000)

const price = amount
  .refine((value) => Number(value.toFixed(2)) === value, 'must have at most 2 decimals')
  .meta({ description: 'Unit price, at most 2 decimals.' })

const product = {
  name: text(1, 256).meta({ description: 'Name of the line.' }),
  value: price,
  quantity: integer(1, 99_999).meta({ description: 'Quantity.' }),
  product_id: text(1, 64).optional().meta({
    description: 'Id of a product in the catalogue. If absent, the line is a custom item and the service creates its id.',
  }),
}

const order = {
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/, 'must be an ISO 4217 code of 3 letters')
    .transform((value) => value.toUpperCase())
    .meta({ description: 'ISO 4217.', examples: ['BRL'] }),
  discount: amount.default(0).meta({ description: 'Amount subtracted from the lines, in units of the currency.' }),
  tax: amount.default(0).meta({ description: 'Amount added for taxes.' }),
  shipping: amount.default(0).meta({ description: 'Amount added for shipping.' }),
  order_id: text(1, 64).optional().meta({ description: 'Default: 15 random digits.' }),
  title: text(1, 256).optional().meta({ description: 'Default: name of the first product.' }),
  reference_id: z
    .string()
    .regex(/^[0-9A-Z]{1,35}$/, 'must be 1 to 35 characters of 0-9 and A-Z')
    .optional()
    .meta({ description: 'Default: 11 random characters.' }),
}

function checkTotal(value: Parameters<typeof totalsOf>[0], context: z.RefinementCtx): void {
  if (context.issues.length > 0) return
  const { total } = totalsOf(value)
  if (total < 0) context.addIssue({ code: 'custom', message: 'must have a total of 0 or more' })
  if (total > MAX_TOTAL) context.addIssue({ code: 'custom', message: `must have a total of at most ${MAX_TOTAL / 100}` })
}

const TOTAL = `Its total, lines - \`discount\` + \`tax\` + \`shipping\`, must be 0 to ${MAX_TOTAL / 100}.`

export const newOrder = z
  .object({ ...order, products: z.array(z.object(product)).min(1).max(100).meta({ description: 'The lines of the order.' }) })
  .superRefine(checkTotal)
  .meta({ description: TOTAL })

export const shownOrder = z
  .object({
    ...order,
    products: z
      .array(
        z.object({
          ...product,
          is_custom_item: z
            .boolean()
            .optional()
            .meta({ description: 'Whether the line is a custom item. Default: true if its id begins with `custom-item-`.' }),
        }),
      )
      .min(1)
      .max(100)
      .meta({ description: 'The lines of the order.' }),
  })
  .superRefine(checkTotal)
  .meta({ description: `The order; if absent, only the status is sent. ${TOTAL}` })

export type Order = z.output<typeof shownOrder>

export const paymentSettings = z
  .object({
    pix: z
      .object({
        key: text(1, 140).meta({ description: 'The Pix key.' }),
        key_type: oneOf(PIX_TYPES).meta({ description: 'Type of the key.' }),
        name: text(1, 60).meta({ description: 'Name of the payee.' }),
      })
      .optional()
      .meta({ description: 'Payment by Pix.' }),
    card: z
      .object({ enabled: z.boolean().meta({ description: 'True offers this payment.' }) })
      .optional()
      .meta({ description: 'Payment by card.' }),
  })
  .refine(({ pix, card }) => pix !== undefined || card !== undefined, 'must have pix or card')
  .meta({ description: 'At least one of pix and card; cannot be combined with `token`.' })

export type PaymentSettings = z.output<typeof paymentSettings>
