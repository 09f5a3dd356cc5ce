import { z } from 'zod'
import { atLeastOne } from './changes.ts'
import { action, local } from './endpoint.ts'
import { chat, Done, integer, name } from './fields.ts'

const MAX_COLOR = 19
const color = integer(0, MAX_COLOR).meta({ description: 'Color, as an index into `GET /labels/colors`.' })
const called = name(1, 100).meta({ description: 'Name of the label.' })

const Label = z
  .object({
    id: z.string(),
    name: z.string(),
    color: z.int().meta({ description: '0 to 19: `GET /labels/colors`.' }),
    chats: z.array(z.string()).meta({ description: 'Identifiers of the chats with this label, at most 5,000.' }),
  })
  .meta({ id: 'Label' })

const labelExample = { id: '3', name: 'Paid', color: 3, chats: ['5511988887777', '120363019502650977-group'] }

const labelId = z
  .string()
  .regex(/^\d{1,10}$/, 'must be 1 to 10 digits')
  .meta({ description: 'Id of the label.', examples: ['3'], pattern: '^\\d{1,10}$' })

export const list = action('labels.list', 'GET /labels', {
  writes: false,
  isKnown: true,
  errors: ['not_allowed'],
  summary: 'List the labels, and the chats that have them',
  description: 'At most 20. Lists of chats that the app itself creates are not included.',
  reply: z.object({ data: z.array(Label) }),
  examples: [{ name: 'one', reply: { data: [labelExample] } }],
})

export const create = action('labels.create', 'POST /labels', {
  writes: true,
  summary: 'Create a label',
  description: 'An account has at most 20 labels; one more is refused with `not_allowed`.',
  input: {
    name: called,
    color: color.default(0).meta({ description: 'Color, as an index into `GET /labels/colors`.', default: 0 }),
  },
  reply: Label,
  examples: [{ name: 'VIP', input: { name: 'VIP', color: 5 }, reply: { id: '7', name: 'VIP', color: 5, chats: [] } }],
})

export const update = action('labels.update', 'PUT /labels/{label_id}', {
  writes: true,
  notFound: 'label_not_found',
  summary: 'Change the name or the color of a label',
  input: { label_id: labelId, name: called.optional(), color: color.optional() },
  check: ({ label_id: _, ...change }, issue) => atLeastOne(change, issue),
  reply: Label,
  errors: ['label_not_found'],
  examples: [{ name: 'rename', input: { label_id: '3', name: 'VIP 2026' }, reply: { ...labelExample, name: 'VIP 2026' } }],
})

/** The export is named `remove`, because `delete` is a reserved word. */
export const remove = action('labels.delete', 'DELETE /labels/{label_id}', {
  writes: true,
  notFound: 'label_not_found',
  summary: 'Remove a label',
  input: { label_id: labelId },
  reply: Done,
  errors: ['label_not_found'],
  examples: [{ name: 'delete', input: { label_id: '3' }, reply: { value: true } }],
})

const COLORS = [
  '#FF9485',
  '#64C4FF',
  '#FFD429',
  '#DFAEF0',
  '#99B6C1',
  '#55CCB3',
  '#FF9DFF',
  '#D3A91D',
  '#6D7CCE',
  '#D7E752',
  '#00D0E2',
  '#FFC5C7',
  '#93CEAC',
  '#F74848',
  '#00A0F2',
  '#83E422',
  '#FFAF04',
  '#B5EBFF',
  '#9BA6FF',
  '#9368CF',
].map((hex, index) => ({ color: index, hex }))

export const colors = local('labels.colors', 'GET /labels/colors', {
  access: 'instance',
  summary: 'List the colors of labels',
  reply: z.object({ data: z.array(z.object({ color: z.int(), hex: z.string() })) }),
  examples: [{ name: 'all', reply: { data: COLORS } }],
  handle: async () => ({ data: COLORS }),
})

const labelled = {
  writes: true,
  notFound: 'chat_not_found',
  input: { phone: chat('user', 'group'), label_id: labelId },
  reply: Done,
  errors: ['invalid_phone', 'label_not_found', 'chat_not_found'],
} as const
const labelledExample = { input: { phone: '5511988887777', label_id: '3' }, reply: { value: true } }

export const addToChat = action('labels.addToChat', 'PUT /chats/{phone}/labels/{label_id}', {
  ...labelled,
  summary: 'Add a label to a chat',
  examples: [{ name: 'put', ...labelledExample }],
})

export const removeFromChat = action('labels.removeFromChat', 'DELETE /chats/{phone}/labels/{label_id}', {
  ...labelled,
  summary: 'Remove a label from a chat',
  examples: [{ name: 'take off', ...labelledExample }],
})
