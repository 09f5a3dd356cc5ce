import { z } from 'zod'
import { action } from './endpoint.ts'
import { Done, name, PICTURE_DEADLINE, plain, portrait } from './fields.ts'

export const get = action('profile.get', 'GET /profile', {
  writes: false,
  summary: 'Read the profile of the account, as others see it',
  reply: z.object({
    phone: z.string(),
    lid: z.string().nullable(),
    name: z.string().nullable(),
    about: z.string().nullable(),
    picture_url: z.string().nullable().meta({ description: 'URL on the network; it expires after about 48 h.' }),
    is_business: z.boolean(),
  }),
  examples: [
    {
      name: 'a business',
      reply: {
        phone: '5511999990000',
        lid: '998877665544332@lid',
        name: 'Support',
        about: 'Mon to Fri, 9 to 18',
        picture_url: 'https://pps.whatsapp.net/v/t61.24694-24/2_n.jpg',
        is_business: true,
      },
    },
  ],
})

export const updateName = action('profile.updateName', 'PUT /profile/name', {
  writes: true,
  summary: 'Change the name of the account',
  description: 'The name of a business account cannot be changed (`not_allowed`).',
  input: { value: name(1, 25).meta({ description: 'The name by which others see the account.' }) },
  reply: Done,
  examples: [{ name: 'rename', input: { value: 'Support' }, reply: { value: true } }],
})

export const updatePicture = action('profile.updatePicture', 'PUT /profile/picture', {
  writes: true,
  deadlineMs: PICTURE_DEADLINE,
  summary: 'Change the picture of the account',
  input: { value: portrait },
  reply: Done,
  errors: ['media_invalid', 'media_download_failed'],
  examples: [{ name: 'a logo', input: { value: 'https://example.com/logo.png' }, reply: { value: true } }],
})

export const updateAbout = action('profile.updateAbout', 'PUT /profile/about', {
  writes: true,
  summary: 'Change the about text',
  input: { value: plain(0, 139).meta({ description: 'New about text; empty clears it.' }) },
  reply: Done,
  examples: [{ name: 'hours', input: { value: 'Mon to Fri, 9 to 18' }, reply: { value: true } }],
})

export const removePicture = action('profile.removePicture', 'DELETE /profile/picture', {
  writes: true,
  summary: 'Remove the picture of the account',
  reply: Done,
  examples: [{ name: 'remove', reply: { value: true } }],
})
