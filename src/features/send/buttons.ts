import { z } from 'zod'
import { text, url } from '../fields.ts'

export const label = text(1, 60).meta({ description: 'Text of the button. Phones truncate it at about 20 characters.' })
export const choiceId = text(1, 256).optional().meta({
  description: 'Id that the answer returns; unique in the message. Default: the position, starting at `"1"`.',
})

const TYPES = ['reply', 'url', 'call', 'copy'] as const

const phone = z
  .string()
  .regex(/^\+?\d{5,20}$/, 'must be 5 to 20 digits with an optional leading +')
  .transform((value) => value.replace('+', ''))
  .meta({ description: 'Number to call.', examples: ['5511900001111'] })

const withPlainType = (value: unknown) =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? { ...value, type: value.type.toLowerCase() }
    : value

export const button = z
  .preprocess(
    withPlainType,
    z.discriminatedUnion(
      'type',
      [
        z.object({
          type: z.literal('reply').meta({ description: 'Button that returns its label and id.' }),
          id: choiceId,
          label,
        }),
        z.object({
          type: z.literal('url').meta({ description: 'Opens a page.' }),
          id: choiceId,
          label,
          url: url.meta({ description: 'Page to open.' }),
        }),
        z.object({ type: z.literal('call').meta({ description: 'Button that calls a number.' }), id: choiceId, label, phone }),
        z.object({
          type: z.literal('copy').meta({ description: 'Copies a text.' }),
          id: choiceId,
          label,
          code: text(1, 1_024).meta({ description: 'Text that the button copies to the clipboard.' }),
        }),
      ],
      {
        error: ({ code }) =>
          code === 'invalid_union' ? `must be one of ${TYPES.map((type) => `"${type}"`).join(', ')}` : undefined,
      },
    ),
  )
  .meta({ id: 'Button' })

export type Button = z.output<typeof button> & { id: string }

/** Adds missing ids to buttons or rows. A missing id becomes the position of the button or row, starting at `from`. */
export const numbered = <T extends { id?: string | undefined }>(choices: readonly T[], from = 1) =>
  choices.map((choice, index) => ({ ...choice, id: choice.id ?? String(from + index) }))

/** Reports each id that is used twice. `within` names the part of the message in which ids must be unique. */
export function checkUnique(
  choices: readonly { id: string; path: string }[],
  issue: (path: string, message: string) => void,
  within = 'message',
): void {
  const seen = new Set<string>()
  for (const { id, path } of choices) {
    if (seen.has(id)) issue(`${path}.id`, `must be unique in the ${within}, but ${JSON.stringify(id)} is already used`)
    seen.add(id)
  }
}
