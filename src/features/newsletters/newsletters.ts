import { z } from 'zod'
import { action } from '../endpoint.ts'
import { instant, name, oneOf, PICTURE_DEADLINE, plain, portrait, queryInteger } from '../fields.ts'
import { writesAt } from '../writes.ts'
import { aboutChannel, channel, idExample, Newsletter, newsletterExample, newsletterId, postCursor } from './objects.ts'

export const create = action('newsletters.create', 'POST /newsletters', {
  writes: true,
  deadlineMs: PICTURE_DEADLINE,
  summary: 'Create a channel',
  description: "Accepts the network's terms for channel creators.",
  input: {
    name: name(1, 100).meta({ description: 'Name of the channel.' }),
    description: plain(0, 2_048).optional().meta({ description: 'Description of the channel.' }),
    picture: portrait.optional(),
  },
  reply: Newsletter,
  errors: ['media_invalid', 'media_download_failed'],
  examples: [
    {
      name: 'channel',
      input: { name: 'Product news', description: 'What changed this week' },
      reply: { ...newsletterExample, subscribers_count: 1, reaction_codes: null },
    },
  ],
})

export const metadata = action('newsletters.metadata', 'GET /newsletters/{newsletter_id}', {
  ...aboutChannel,
  writes: false,
  summary: 'Read a channel',
  input: { newsletter_id: newsletterId },
  reply: Newsletter,
  examples: [{ name: 'channel', input: idExample, reply: newsletterExample }],
})

const POST_TYPES = ['text', 'image', 'video', 'audio', 'document', 'sticker', 'poll', 'unknown'] as const

export const messages = action('newsletters.messages', 'GET /newsletters/{newsletter_id}/messages', {
  ...aboutChannel,
  writes: false,
  summary: 'Read the posts of a channel',
  description:
    'Newest first. Deleted posts are omitted, so a page may have fewer posts than `limit`. After reading a post, you can react to it and forward it by its `message_id`.',
  input: {
    newsletter_id: newsletterId,
    limit: queryInteger(1, 100).default(50).meta({ default: 50, description: 'Number of posts per page.' }),
    cursor: postCursor,
  },
  reply: z.object({
    data: z.array(
      z.object({
        message_id: z.string(),
        server_id: z.string().meta({ description: 'Number of the post within its channel.' }),
        type: z.enum(POST_TYPES),
        text: z.string().nullable().meta({ description: 'Text or caption of the post.' }),
        sent_at: instant,
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  examples: [
    {
      name: 'posts',
      input: idExample,
      reply: {
        data: [
          {
            message_id: '3EB0A1B2C3D4E5F60718',
            server_id: '241',
            type: 'text',
            text: 'Version 2 is out',
            sent_at: '2026-01-30T15:00:00.000Z',
          },
        ],
        next_cursor: '241',
      },
    },
  ],
})

const { write, picture } = writesAt(channel)

export const follow = write('newsletters.follow', 'POST /newsletters/{newsletter_id}/follow', {
  summary: 'Follow a channel',
  description: "Accepts the network's terms for channels.",
  input: {},
})

export const unfollow = write('newsletters.unfollow', 'POST /newsletters/{newsletter_id}/unfollow', {
  summary: 'Unfollow a channel',
  description: 'The owner cannot unfollow the channel (`not_allowed`).',
  input: {},
})

export const mute = write('newsletters.mute', 'POST /newsletters/{newsletter_id}/mute', {
  summary: 'Mute a channel',
  input: {},
})

export const unmute = write('newsletters.unmute', 'POST /newsletters/{newsletter_id}/unmute', {
  summary: 'Unmute a channel',
  input: {},
})

export const updateName = write('newsletters.updateName', 'PUT /newsletters/{newsletter_id}/name', {
  summary: 'Rename a channel',
  input: { value: name(1, 100).meta({ description: 'The new name.' }) },
  example: { value: 'Product news' },
})

export const updateDescription = write('newsletters.updateDescription', 'PUT /newsletters/{newsletter_id}/description', {
  summary: 'Change or clear the description of a channel',
  input: { value: plain(0, 2_048).meta({ description: 'New description; empty removes it.' }) },
  example: { value: 'Weekly' },
})

export const updatePicture = picture(
  'newsletters.updatePicture',
  'PUT /newsletters/{newsletter_id}/picture',
  'Change the picture of a channel',
)

export const removePicture = write('newsletters.removePicture', 'DELETE /newsletters/{newsletter_id}/picture', {
  summary: 'Remove the picture of a channel',
  input: {},
})

export const updateSettings = write('newsletters.updateSettings', 'PUT /newsletters/{newsletter_id}/settings', {
  summary: 'Choose which reactions a channel accepts',
  input: { reaction_codes: oneOf(['all', 'basic', 'none']).meta({ description: 'Emoji that followers may react with.' }) },
  example: { reaction_codes: 'basic' },
})

export const remove = write('newsletters.delete', 'DELETE /newsletters/{newsletter_id}', {
  summary: 'Delete a channel',
  description: 'Only the owner can delete the channel. This cannot be undone.',
  input: {},
})
