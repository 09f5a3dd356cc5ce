/** Buttons, lists and carousels. They are best effort: WhatsApp may accept a message that no client renders. */
import { z } from 'zod'
import { MEDIA_LIMIT } from '../../domain/media.ts'
import { PIX_TYPES, pixFormat, pixKey } from '../../domain/pix.ts'
import { acknowledged, destination, media, oneOf, text } from '../fields.ts'
import { button, checkUnique, choiceId, label, numbered } from './buttons.ts'
import { mentionsAppear, send } from './queued.ts'

const BEST_EFFORT = 'Best effort: only the phone apps show this, and it may stop working without notice.'

const phone = destination('user', 'group')
const message = text(1, 4_096).meta({ description: 'Text of the message.' })
const title = text(1, 256).optional().meta({ description: 'Heading above the text.' })
const footer = text(1, 256).optional().meta({ description: 'Small print below the text.' })
const image = (what: string) => media(MEDIA_LIMIT, what)

const placed = (list: string, choices: readonly { id: string }[]) =>
  choices.map(({ id }, index) => ({ id, path: `${list}.${index}` }))

export const sendButtonList = send('send.sendButtonList', 'POST /send-button-list', {
  summary: 'Send reply buttons',
  description: `Sends a text, with an optional picture or video above it, and buttons. Pressing a button sends an answer. ${BEST_EFFORT}`,
  input: {
    phone,
    message,
    button_list: z
      .object({
        buttons: z
          .array(z.object({ id: choiceId, label }))
          .min(1)
          .max(10)
          .transform((list) => numbered(list))
          .meta({ description: 'Buttons, each of which returns its label and id.' }),
        image: image('Picture of the header; cannot be combined with `video`').optional(),
        video: media(MEDIA_LIMIT, 'Video of the header; cannot be combined with `image`').optional(),
      })
      .refine(({ image, video }) => image === undefined || video === undefined, 'must not have both image and video')
      .meta({ description: 'Buttons, and a picture or video above them.' }),
    title: title.meta({ description: 'Title; ignored if there is a picture or video.' }),
    footer,
  },
  words: ({ message }) => message,
  check({ button_list }, issue) {
    checkUnique(placed('button_list.buttons', button_list.buttons), issue)
  },
  errors: ['media_invalid'],
  examples: [
    {
      name: 'with a picture',
      input: {
        phone: '5511988887777',
        message: 'Did you like it?',
        button_list: {
          image: 'https://cdn.example/a.jpg',
          buttons: [
            { id: '1', label: 'Yes' },
            { id: '2', label: 'No' },
          ],
        },
      },
      reply: acknowledged,
    },
  ],
})

export const sendButtons = send('send.sendButtons', 'POST /send-buttons', {
  summary: 'Send action buttons',
  description: `Sends buttons that answer, open a URL, call a number or copy a text. Phones collapse more than 3 buttons; web clients cannot show \`reply\` together with \`url\` or \`call\`. ${BEST_EFFORT}`,
  input: {
    phone,
    message,
    button_actions: z
      .array(button)
      .min(1)
      .max(10)
      .transform((list) => numbered(list))
      .meta({ description: 'The buttons, each of its own type.' }),
    title,
    footer,
  },
  words: ({ message }) => message,
  check({ button_actions }, issue) {
    checkUnique(placed('button_actions', button_actions), issue)
  },
  examples: [
    {
      name: 'call and site',
      input: {
        phone: '5511988887777',
        message: 'How can we help?',
        title: 'Support',
        footer: 'Example Inc.',
        button_actions: [
          { id: '1', type: 'call', phone: '5511900001111', label: 'Call us' },
          { id: '2', type: 'url', url: 'https://example.com', label: 'Site' },
        ],
      },
      reply: acknowledged,
    },
  ],
})

export const sendButtonOtp = send('send.sendButtonOtp', 'POST /send-button-otp', {
  summary: 'Send a code with a button that copies it',
  description: BEST_EFFORT,
  input: {
    phone,
    message,
    code: text(1, 1_024).meta({ description: 'Code that the button copies.' }),
    button_text: text(1, 60).default('Copy code').meta({ description: 'Label of the button.' }),
    image: image('Picture of the header').optional(),
  },
  words: ({ message }) => message,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'code',
      input: { phone: '5511988887777', message: 'Your code is 482913', code: '482913', button_text: 'Copy code' },
      reply: acknowledged,
    },
  ],
})

export const sendButtonPix = send('send.sendButtonPix', 'POST /send-button-pix', {
  summary: 'Send a Pix key with a button that copies it',
  description: `Sends the card of the Brazilian instant payment. In web clients the chat does not move to the top for it. ${BEST_EFFORT}`,
  input: {
    phone,
    pix_key: text(1, 140).meta({
      description: `In the form of its type: ${PIX_TYPES.map((type) => `\`${type}\` ${pixFormat(type)}`).join(', ')}. Separators \`. - /\` of \`cpf\` and \`cnpj\` are removed, a missing \`+\` of \`phone\` is added.`,
      format: 'pix-key',
    }),
    type: oneOf(PIX_TYPES).meta({ description: 'Type of the key.' }),
    merchant_name: text(1, 60).default('Pix').meta({ description: 'Name of the payee on the card.' }),
  },
  check({ type, pix_key }, issue) {
    if (pixKey(type, pix_key) === undefined) issue('pix_key', `must be ${pixFormat(type)} for the type ${type}`)
  },
  examples: [
    {
      name: 'random key',
      input: {
        phone: '5511988887777',
        pix_key: '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11',
        type: 'evp',
        merchant_name: 'Example Inc.',
      },
      reply: acknowledged,
    },
  ],
})

export const sendOptionList = send('send.sendOptionList', 'POST /send-option-list', {
  summary: 'Send a list of options',
  description: `Sends a button that opens a list, from which a person can choose one row. Groups often do not show it. ${BEST_EFFORT}`,
  input: {
    phone,
    message,
    option_list: z
      .object({
        title: text(1, 100).meta({ description: 'Heading of the opened list.' }),
        button_label: text(1, 60).meta({ description: 'Label of the button that opens the list.' }),
        options: z
          .array(
            z.object({
              id: choiceId,
              title: text(1, 100).meta({ description: 'The row.' }),
              description: text(1, 256).optional().meta({ description: 'Second line of the row.' }),
            }),
          )
          .min(1)
          .max(100)
          .transform((list) => numbered(list))
          .meta({ description: 'The rows.' }),
      })
      .meta({ description: 'The list behind the button.' }),
    footer,
  },
  words: ({ message }) => message,
  check({ option_list }, issue) {
    checkUnique(placed('option_list.options', option_list.options), issue)
  },
  examples: [
    {
      name: 'departments',
      input: {
        phone: '5511988887777',
        message: 'Pick a department',
        option_list: {
          title: 'Departments',
          button_label: 'Open',
          options: [
            { id: 'sales', title: 'Sales', description: 'New orders' },
            { id: 'fin', title: 'Finance' },
          ],
        },
      },
      reply: acknowledged,
    },
  ],
})

const card = z.object({
  text: text(1, 1_024).meta({ description: 'Text of the card.' }),
  image: image('Picture of the card'),
  title,
  footer,
  buttons: z.array(button).max(3).default([]).meta({ description: 'Buttons of the card.' }),
})

/**
 * Adds missing ids to the buttons of cards. Ids must be unique in the whole message, so positions count across the
 * cards.
 */
function numberCards(cards: z.output<typeof card>[]) {
  let from = 1
  return cards.map((each) => {
    const buttons = numbered(each.buttons, from)
    from += buttons.length
    return { ...each, buttons }
  })
}

export const sendCarousel = send('send.sendCarousel', 'POST /send-carousel', {
  summary: 'Send cards to swipe through',
  description: `Each card has a picture, a text and up to 3 buttons. If one picture cannot be prepared, the message fails. ${BEST_EFFORT}`,
  input: {
    phone,
    message,
    carousel: z.array(card).min(1).max(10).transform(numberCards).meta({ description: 'The cards, in order.' }),
  },
  words: ({ message }) => message,
  check({ carousel }, issue) {
    checkUnique(
      carousel.flatMap(({ buttons }, index) => placed(`carousel.${index}.buttons`, buttons)),
      issue,
    )
  },
  errors: ['media_invalid'],
  examples: [
    {
      name: 'plans',
      input: {
        phone: '5511988887777',
        message: 'Our plans',
        carousel: [
          {
            text: 'Basic',
            image: 'https://cdn.example/1.jpg',
            buttons: [{ id: 'b', type: 'reply', label: 'Choose' }],
          },
          {
            text: 'Pro',
            image: 'https://cdn.example/2.jpg',
            buttons: [{ type: 'url', url: 'https://example.com/pro', label: 'Details' }],
          },
        ],
      },
      reply: acknowledged,
    },
  ],
})

/**
 * Schema of a carousel in which another card may repeat the ids of buttons. Clients of the dialect do not expect that
 * the answer to a button identifies the card.
 */
export const carouselWithIdsPerCard = z.object(sendCarousel.input.shape).superRefine((given, context) => {
  if (context.issues.length > 0) return
  const issue = (path: string, text: string) => context.addIssue({ code: 'custom', message: text, path: path.split('.') })
  mentionsAppear(given, given.message, issue)
  for (const [index, { buttons }] of given.carousel.entries())
    checkUnique(placed(`carousel.${index}.buttons`, buttons), issue, 'card')
})
