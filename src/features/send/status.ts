import { z } from 'zod'
import { MEDIA_LIMIT } from '../../domain/media.ts'
import { STATUS_BACKGROUND, STATUS_FONT } from '../../domain/status-text.ts'
import { acknowledged, destination, media, messageId, text } from '../fields.ts'
import { send, type Without } from './queued.ts'

const POST_NOTE =
  'The audience that is set in the phone app sees the post for 24 h. The post is queued; its outcome is a `delivery` event.'
const postCaption = text(0, 700).optional().meta({ description: 'Text below it.', maxLength: 700 })
const STATUS = { kind: 'status' } as const
const POST: Without = { mention_all: 'a status has no participants', delay_typing: 'a status shows nobody who types' }
const ANSWER: Without = { reply_to_message_id: 'the quote is the status that is answered' }

const FONTS = [0, 1, 2, 6, 7, 8, 9, 10] as const

export const sendTextStatus = send('send.sendTextStatus', 'POST /send-text-status', {
  to: STATUS,
  summary: 'Post a text as status',
  description: POST_NOTE,
  input: {
    message: text(1, 700).meta({ description: 'The text.' }),
    background_color: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a colour, `#RRGGBB`')
      .default(STATUS_BACKGROUND)
      .meta({ description: 'Colour behind the text, `#RRGGBB`.' }),
    // `enum` repeats the values of the literal, because the OpenAPI library reads only the first of them.
    font: z.literal(FONTS).default(STATUS_FONT).meta({ description: 'Number of the font on the network.', enum: FONTS }),
  },
  words: ({ message }) => message,
  without: POST,
  examples: [
    {
      name: 'text',
      input: { message: 'Open until 22h today', background_color: '#128C7E', font: 1 },
      reply: acknowledged,
    },
  ],
})

export const sendImageStatus = send('send.sendImageStatus', 'POST /send-image-status', {
  to: STATUS,
  summary: 'Post an image as status',
  description: POST_NOTE,
  input: { image: media(MEDIA_LIMIT, 'Image'), caption: postCaption },
  words: ({ caption }) => caption,
  without: POST,
  errors: ['media_invalid'],
  examples: [{ name: 'image', input: { image: 'https://cdn.example/story.jpg', caption: 'New arrivals' }, reply: acknowledged }],
})

export const sendVideoStatus = send('send.sendVideoStatus', 'POST /send-video-status', {
  to: STATUS,
  summary: 'Post a video as status',
  description: `${POST_NOTE} Apps truncate long clips (30 to 60 s).`,
  input: { video: media(MEDIA_LIMIT, 'Video'), caption: postCaption },
  words: ({ caption }) => caption,
  without: POST,
  errors: ['media_invalid'],
  examples: [
    { name: 'video', input: { video: 'https://cdn.example/story.mp4', caption: 'Behind the scenes' }, reply: acknowledged },
  ],
})

const ANSWER_NOTE =
  'Goes to the author of a status that was received since the last restart. The message is queued; its outcome is a `delivery` event.'
export const statusTarget = {
  phone: destination('user'),
  status_message_id: messageId.meta({ description: 'Id of the status to answer.' }),
}

export const replyStatusText = send('send.replyStatusText', 'POST /reply-status-text', {
  summary: 'Answer a status with a text',
  description: ANSWER_NOTE,
  input: { ...statusTarget, message: text(1, 65_536).meta({ description: 'The answer.' }) },
  words: ({ message }) => message,
  without: ANSWER,
  examples: [
    {
      name: 'text',
      input: { phone: '5511988887777', status_message_id: '1F606398F2ECAA4846269F659B6003A9', message: 'Beautiful!' },
      reply: acknowledged,
    },
  ],
})

export const replyStatusGif = send('send.replyStatusGif', 'POST /reply-status-gif', {
  summary: 'Answer a status with a GIF',
  description: ANSWER_NOTE,
  input: { ...statusTarget, gif: media(MEDIA_LIMIT, 'mp4, or gif') },
  without: ANSWER,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'gif',
      input: {
        phone: '5511988887777',
        status_message_id: '1F606398F2ECAA4846269F659B6003A9',
        gif: 'https://cdn.example/wow.mp4',
      },
      reply: acknowledged,
    },
  ],
})

export const replyStatusSticker = send('send.replyStatusSticker', 'POST /reply-status-sticker', {
  summary: 'Answer a status with a sticker',
  description: ANSWER_NOTE,
  input: { ...statusTarget, sticker: media(MEDIA_LIMIT, 'Sticker; 512x512 WebP recommended') },
  without: ANSWER,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'sticker',
      input: {
        phone: '5511988887777',
        status_message_id: '1F606398F2ECAA4846269F659B6003A9',
        sticker: 'https://cdn.example/s.webp',
      },
      reply: acknowledged,
    },
  ],
})
