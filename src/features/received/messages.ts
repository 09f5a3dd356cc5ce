import { z } from 'zod'
import {
  among,
  amount,
  caption,
  flag,
  id,
  identifier,
  integer,
  Location,
  list,
  media,
  nullable,
  number,
  referenced,
  size,
  text,
  when,
  whole,
} from './described.ts'

const Contact = z
  .strictObject({
    display_name: text(256, 'Name on the card.'),
    vcard: text(16_384, 'The whole card, vCard 3.0.'),
    phones: list(z.string().regex(/^\d+$/), 10, 'Numbers on the card, digits.'),
  })
  .meta({ description: 'A contact card.' })
export type ReceivedContact = z.output<typeof Contact>

export const messageBlocks = {
  text: z
    .strictObject({
      message: text(65_536, 'The text, with the markup of the network.'),
      title: nullable(256, 'Title of the card of its link.'),
      description: nullable(1_024, 'Second line of that card.'),
      url: nullable(2_048, 'URL that the card opens.'),
    })
    .meta({ description: 'A text.' }),
  image: z.strictObject({ ...media, caption, ...size }).meta({ description: 'An image.' }),
  video: z
    .strictObject({
      ...media,
      caption,
      seconds: whole('Length.'),
      ...size,
      gif: flag('Whether it is played in a loop without sound.'),
      ptv: flag('Whether it is a round video note.'),
    })
    .meta({ description: 'A video.' }),
  audio: z
    .strictObject({ ...media, ptt: flag('A voice note.'), seconds: whole('Length.') })
    .meta({ description: 'An audio file or a voice note.' }),
  document: z
    .strictObject({
      ...media,
      file_name: nullable(255, 'Name of the file.'),
      title: nullable(256, 'Title of the document.'),
      caption,
      page_count: whole('Pages.'),
    })
    .meta({ description: 'A document.' }),
  sticker: z.strictObject({ ...media, animated: flag('It moves.'), ...size }).meta({ description: 'A sticker.' }),
  location: Location.meta({ description: 'A place.' }),
  live_location: z
    .strictObject({
      latitude: number('Degrees.'),
      longitude: number('Degrees.'),
      accuracy_meters: amount('Accuracy of the position, in metres.'),
      speed_mps: amount('Speed, in metres per second.'),
      bearing_degrees: amount('Direction, clockwise from north.'),
      sequence: whole('Number of the update.'),
      caption: nullable(1_024, 'Text below it.'),
    })
    .meta({ description: 'A live location.' }),
  contact: Contact,
  contacts: z.array(Contact).min(1).max(257).meta({ description: 'Several contact cards.' }),
  reaction: z
    .strictObject({
      value: text(64, 'The emoji; empty if the reaction was removed.'),
      time: when('Time of the reaction.'),
      reaction_by: identifier('Who reacted.'),
      referenced_message: referenced,
    })
    .meta({ description: 'A reaction to a message.' }),
  poll: z
    .strictObject({
      question: text(255, 'What is asked.'),
      options: list(z.string().max(100), 12, 'Options of the poll.'),
      poll_max_options: integer('Number of options that one person may choose; 0 means no limit.'),
    })
    .meta({ description: 'A poll.' }),
  poll_vote: z
    .strictObject({
      poll_message_id: id('The poll.'),
      options: list(z.string().max(100), 12, 'All chosen options; empty if the vote was withdrawn.'),
      unknown_options: integer('Number of chosen options that this service does not know.'),
    })
    .meta({ description: 'A vote. Only the last vote of a person counts.' }),
  event: z
    .strictObject({
      name: text(256, 'Name of the event.'),
      description: nullable(4_096, 'Description of the event.'),
      canceled: flag('Whether the event was cancelled.'),
      date_time: when('Start.'),
      end_date_time: when('End.'),
      join_link: nullable(2_048, 'Link to the call of the event.'),
      extra_guests_allowed: flag('Whether guests may bring others.'),
      location: z
        .strictObject({
          name: nullable(256, 'Name of the place.'),
          address: nullable(1_024, 'Its address.'),
          latitude: amount('Degrees.'),
          longitude: amount('Degrees.'),
        })
        .nullable()
        .meta({ description: 'Place of the event.' }),
    })
    .meta({ description: 'A calendar event.' }),
  event_response: z
    .strictObject({
      response: among(['going', 'not_going', 'maybe'], 'The answer.'),
      response_from: identifier('Who answered.'),
      time: when('When.'),
      referenced_message: referenced,
    })
    .meta({ description: 'An answer to a calendar event.' }),
  newsletter_admin_invite: z
    .strictObject({
      newsletter_id: id('The channel.'),
      newsletter_name: text(256, 'Its name.'),
      text: nullable(1_024, 'Text of the invitation.'),
      expires_at: when('Time until which the invitation can be accepted.'),
    })
    .meta({ description: 'An invitation to administer a channel.' }),
  newsletter_invite: z
    .strictObject({
      newsletter_id: id('The channel.'),
      newsletter_name: text(256, 'Its name.'),
      text: nullable(1_024, 'Text of the invitation.'),
    })
    .meta({ description: 'An invitation to follow a channel.' }),
  group_invite: z
    .strictObject({
      group_id: identifier('The group.'),
      group_name: text(256, 'Its name.'),
      invite_code: text(64, 'Code to join with, see `groups.acceptInvitation`.'),
      caption: nullable(1_024, 'Text of the invitation.'),
      expires_at: when('Time until which the invitation can be accepted.'),
    })
    .meta({ description: 'An invitation to a group.' }),
  pin: z
    .strictObject({
      action: among(['pin', 'unpin'], 'What was done.'),
      pin_duration_seconds: integer('Seconds for which the message stays pinned.'),
      referenced_message: referenced,
    })
    .meta({ description: 'A message was pinned or unpinned.' }),
  unsupported: z
    .strictObject({ proto_type: text(64, 'Name of the content type in the protocol.') })
    .meta({ description: 'Content of a type that has no block yet.' }),
} satisfies Record<string, z.ZodType>
