import { z } from 'zod'
import { acknowledged, dateTime, destination, messageId, oneOf, text } from '../fields.ts'
import { actOf, send } from './queued.ts'

const Place = z
  .object({
    name: text(1, 256).meta({ description: 'Name of the place.' }),
    address: text(1, 1_024).optional().meta({ description: 'Its address.' }),
    latitude: z.number().min(-90).max(90).optional().meta({ description: 'Degrees; with `longitude`.' }),
    longitude: z.number().min(-180).max(180).optional().meta({ description: 'Degrees; with `latitude`.' }),
  })
  .superRefine(({ latitude, longitude }, context) => {
    if ((latitude === undefined) === (longitude === undefined)) return
    const path = [latitude === undefined ? 'latitude' : 'longitude']
    context.addIssue({ code: 'custom', path, message: 'is required, because latitude and longitude must be given together' })
  })

/**
 * A boolean that is false if it is absent. It has no `default`, because client generators make a field with a default
 * required.
 */
const unlessSaid = z
  .boolean()
  .optional()
  .transform((value) => value ?? false)

export const CalendarEvent = z
  .object({
    name: text(1, 100).meta({ description: 'Name of the event.' }),
    description: text(0, 2_048).optional().meta({ description: 'Description of the event.' }),
    date_time: dateTime.meta({ description: 'Start.' }),
    end_date_time: dateTime.optional().meta({ description: 'End of the event; must be after `date_time`.' }),
    location: Place.optional().meta({ description: 'Place of the event. Latitude and longitude must be given together.' }),
    call_link_type: oneOf(['voice', 'video']).optional().meta({ description: 'Type of the call; creates a call link.' }),
    canceled: unlessSaid.meta({ description: 'Whether the event is cancelled. Default: false.' }),
    extra_guests_allowed: unlessSaid.meta({ description: 'Whether guests may bring others. Default: false.' }),
  })
  .superRefine(({ date_time, end_date_time }, context) => {
    if (context.issues.length > 0) return
    if (end_date_time === undefined || Date.parse(end_date_time) > Date.parse(date_time)) return
    context.addIssue({ code: 'custom', path: ['end_date_time'], message: 'must be after date_time' })
  })
  .meta({ id: 'CalendarEvent', description: 'New state of the event.' })

const phone = destination('user', 'group')
const event_message_id = messageId.meta({
  description: 'Id of an event that was created through this API, or received since the last restart.',
})

export const sendEvent = send('send.sendEvent', 'POST /send-event', {
  summary: 'Send a calendar event',
  description: 'Goes to groups, and to people whose app shows events.',
  input: { phone, event: CalendarEvent },
  examples: [
    {
      name: 'video call',
      input: {
        phone: '120363019502650977-group',
        event: {
          name: 'Planning',
          description: 'Quarter goals',
          date_time: '2026-03-02T14:00:00.000Z',
          location: { name: 'Room 2' },
          call_link_type: 'video',
          canceled: false,
        },
      },
      reply: acknowledged,
    },
  ],
})

export const sendEditEvent = send('send.sendEditEvent', 'POST /send-edit-event', {
  about: 'event_message_id',
  summary: 'Change a calendar event',
  description: 'Give the whole event: omitted fields are removed from it. Only the creator can change it.',
  input: { phone, event_message_id, event: CalendarEvent },
  without: { reply_to_message_id: 'an edit quotes nothing' },
  examples: [
    {
      name: 'moved',
      input: {
        phone: '120363019502650977-group',
        event_message_id: '3EB058359730B7C2895C55',
        event: { name: 'Planning (moved)', date_time: '2026-03-03T14:00:00.000Z' },
      },
      reply: acknowledged,
    },
  ],
})

export const sendEventResponse = send('send.sendEventResponse', 'POST /send-event-response', {
  about: 'event_message_id',
  summary: 'Answer a calendar event',
  description: 'Own events cannot be answered, because the creator always attends.',
  input: {
    phone,
    event_message_id,
    event_response: oneOf(['going', 'not_going', 'maybe']).meta({ description: 'The answer.' }),
  },
  without: actOf('an answer to an event'),
  examples: [
    {
      name: 'going',
      input: {
        phone: '120363019502650977-group',
        event_message_id: 'D2D612289D9E8F62307D72409A8D9DC3',
        event_response: 'going',
      },
      reply: acknowledged,
    },
  ],
})
