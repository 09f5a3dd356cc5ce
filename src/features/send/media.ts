import { z } from 'zod'
import { DOCUMENT_LIMIT, MEDIA_LIMIT } from '../../domain/media.ts'
import { acknowledged, destination, media, messageId, text } from '../fields.ts'
import { send } from './queued.ts'

const TO_ANYBODY = 'The message is queued; its outcome is a `delivery` event.'
const FORMATS_NOTE = 'The format is detected from the content, never from a name or a declared type.'

const MOVING_STICKER =
  'The first 10 s of an animated picture (webp, gif, apng) or a video become the sticker; its frame rate, quality and detail are reduced until it has at most 500 kB.'

const caption = text(0, 65_536).optional().meta({ description: 'Text below it.', maxLength: 65_536 })
const viewOnce = z
  .boolean()
  .default(false)
  .meta({ description: 'Whether the media can be viewed only once; ignored for channels and status.' })

export const sendImage = send('send.sendImage', 'POST /send-image', {
  summary: 'Send an image',
  description: `Goes to people, groups, channels and status. jpeg and png are sent unchanged; webp, gif, heic, bmp and tiff are converted. ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    image: media(MEDIA_LIMIT, 'Image'),
    caption,
    view_once: viewOnce,
  },
  words: ({ caption }) => caption,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'image',
      input: { phone: '5511988887777', image: 'https://cdn.example/a.jpg', caption: 'Receipt', view_once: false },
      reply: acknowledged,
    },
  ],
})

export const sendVideo = send('send.sendVideo', 'POST /send-video', {
  summary: 'Send a video',
  description: `Goes to people, groups, channels and status. mp4 (H.264, AAC) and 3gp are sent unchanged; mov, mkv, webm and avi are converted. ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    video: media(MEDIA_LIMIT, 'Video'),
    caption,
    view_once: viewOnce,
  },
  words: ({ caption }) => caption,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'video',
      input: { phone: '120363019502650977-group', video: 'https://cdn.example/v.mp4', caption: 'Demo' },
      reply: acknowledged,
    },
  ],
})

export const sendAudio = send('send.sendAudio', 'POST /send-audio', {
  summary: 'Send a voice note or an audio file',
  description: `Goes to people, groups, channels and status. Any audio format is accepted, and also a video, of which the audio is sent. If a converter is installed, a voice note is sent as ogg/opus, and an audio file that the apps do not play (wav, flac, ALAC and others) as AAC. ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    audio: media(MEDIA_LIMIT, 'Audio'),
    ptt: z.boolean().default(true).meta({
      description:
        'True sends a voice note, false an audio file. An audio file is sent unchanged if it is mp3, AAC, AMR or ogg/opus; what the apps do not play, such as ALAC, is converted to AAC.',
    }),
    waveform: z.boolean().default(true).meta({ description: 'Whether to add a waveform; voice notes only.' }),
    view_once: viewOnce,
  },
  errors: ['media_invalid'],
  examples: [
    {
      name: 'voice note',
      input: { phone: '5511988887777', audio: 'data:audio/ogg;base64,T2dnUwACAAAAAAAAAAA=', ptt: true },
      reply: acknowledged,
    },
  ],
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a file name must not hold.
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f]/
const EXTENSION = /^[A-Za-z0-9]{1,16}$/
const extensionOf = (fileName: string | undefined) => /\.([A-Za-z0-9]{1,16})$/.exec(fileName ?? '')?.[1]

export const sendDocument = send('send.sendDocument', 'POST /send-document/{extension}', {
  about: 'edit_message_id',
  summary: 'Send a file',
  description: `Goes to people, groups and channels. Any format is sent unchanged; the extension decides the type. With \`edit_message_id\` the caption of an own document is replaced instead. ${TO_ANYBODY}`,
  input: {
    extension: z
      .string()
      .regex(EXTENSION, 'must be 1 to 16 letters or digits')
      .optional()
      .meta({ description: 'Extension without the dot; optional if `file_name` has one.' }),
    phone: destination('user', 'group', 'newsletter'),
    document: media(DOCUMENT_LIMIT, 'File').optional(),
    file_name: text(1, 255)
      .refine((value) => !FORBIDDEN.test(value), 'must not have slashes or control characters')
      .optional()
      .meta({
        description:
          'Name that people see, without slashes or control characters; default `file.<extension>`. A missing extension is appended.',
      }),
    caption,
    edit_message_id: messageId.optional().meta({ description: 'Id of an own document whose caption is replaced by `caption`.' }),
  },
  words: ({ caption }) => caption,
  check(input, issue) {
    if (input.edit_message_id !== undefined) return
    if (input.document === undefined) issue('document', 'is required')
    if (input.extension === undefined && extensionOf(input.file_name) === undefined) issue('extension', 'is required')
  },
  errors: ['media_invalid'],
  examples: [
    {
      name: 'document',
      input: {
        extension: 'pdf',
        phone: '5511988887777',
        document: 'https://cdn.example/i.pdf',
        file_name: 'Invoice 1042.pdf',
        caption: 'Due on Friday',
      },
      reply: acknowledged,
    },
  ],
})

export const sendSticker = send('send.sendSticker', 'POST /send-sticker', {
  summary: 'Send a sticker',
  description: `Goes to people, groups and channels. webp is sent unchanged; other pictures and videos are converted. ${MOVING_STICKER} ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group', 'newsletter'),
    sticker: media(MEDIA_LIMIT, 'Sticker; 512x512 WebP recommended'),
    sticker_author: text(1, 128)
      .optional()
      .meta({ description: 'Name that apps show as the publisher.', minLength: 1, maxLength: 128 }),
  },
  errors: ['media_invalid'],
  examples: [
    {
      name: 'sticker',
      input: { phone: '5511988887777', sticker: 'https://cdn.example/s.webp', sticker_author: 'Example' },
      reply: acknowledged,
    },
  ],
})

export const sendGif = send('send.sendGif', 'POST /send-gif', {
  summary: 'Send a GIF',
  description: `Goes to people, groups and channels. Apps play an mp4 without sound; a gif is converted. ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group', 'newsletter'),
    gif: media(MEDIA_LIMIT, 'mp4, or gif'),
    caption,
  },
  words: ({ caption }) => caption,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'gif',
      input: { phone: '5511988887777', gif: 'https://cdn.example/g.mp4', caption: '' },
      reply: acknowledged,
    },
  ],
})

export const sendPtv = send('send.sendPtv', 'POST /send-ptv', {
  summary: 'Send a round video note',
  description: `Goes to people and groups. mp4 is sent unchanged, other videos are converted. ${FORMATS_NOTE} ${TO_ANYBODY}`,
  input: {
    phone: destination('user', 'group'),
    ptv: media(MEDIA_LIMIT, 'Square mp4, up to 60 s recommended'),
  },
  errors: ['media_invalid'],
  examples: [
    { name: 'round video', input: { phone: '5511988887777', ptv: 'https://cdn.example/round.mp4' }, reply: acknowledged },
  ],
})
