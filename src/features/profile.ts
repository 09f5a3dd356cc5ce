/** The account as others see it (shared/api/chats-contacts-profile-privacy.md, Profile). */
import { z } from 'zod'
import { action } from './endpoint.ts'
import { Done, plain } from './fields.ts'

export const get = action('profile.get', 'GET /profile', {
  writes: false,
  summary: 'The account as others see it',
  reply: z.object({
    phone: z.string(),
    lid: z.string().nullable(),
    name: z.string().nullable(),
    about: z.string().nullable(),
    picture_url: z.string().nullable().meta({ description: "The network's, expires after about 48 h." }),
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

export const updateAbout = action('profile.updateAbout', 'PUT /profile/about', {
  writes: true,
  summary: 'Change the about text',
  input: { value: plain(0, 139).meta({ description: 'Empty clears it.' }) },
  reply: Done,
  examples: [{ name: 'hours', input: { value: 'Mon to Fri, 9 to 18' }, reply: { value: true } }],
})

export const removePicture = action('profile.removePicture', 'DELETE /profile/picture', {
  writes: true,
  summary: 'Remove the picture of the account',
  reply: Done,
  examples: [{ name: 'remove', reply: { value: true } }],
})
