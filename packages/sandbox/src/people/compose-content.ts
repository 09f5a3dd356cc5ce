import { randomBytes } from 'node:crypto'
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { type Form, form } from './compose-form.ts'
import type { Composed } from './composed.ts'

const Location = v.object({
  latitude: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  longitude: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
  name: v.optional(v.string()),
  address: v.optional(v.string()),
  url: v.optional(v.string()),
})

const LiveLocation = v.object({
  latitude: v.number(),
  longitude: v.number(),
  caption: v.optional(v.string()),
  accuracy_meters: v.optional(v.number()),
  speed_mps: v.optional(v.number()),
  bearing_degrees: v.optional(v.number()),
  sequence: v.optional(v.number(), 1),
})

const Contact = v.union([
  v.object({ display_name: v.string(), vcard: v.string() }),
  v.object({ name: v.string(), phones: v.array(v.string()) }),
  v.object({ name: v.string(), phone: v.string() }),
])

const Poll = v.object({
  question: v.string(),
  options: v.pipe(v.array(v.string()), v.minLength(2), v.maxLength(12)),
  max: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1),
})

const Event = v.object({
  name: v.string(),
  description: v.optional(v.string()),
  /** ISO 8601, or seconds since 1970. */
  start: v.union([v.string(), v.number()]),
  end: v.optional(v.union([v.string(), v.number()])),
  location: v.optional(Location),
  join_link: v.optional(v.string()),
  extra_guests_allowed: v.optional(v.boolean(), false),
  canceled: v.optional(v.boolean(), false),
})

const text = form('message.text', v.string(), (words) => ({ message: { conversation: words }, type: 'text' }))

export const CONTENT_FORMS: Record<string, Form> = {
  text,
  location: form('message.location', Location, (place) => ({
    message: { locationMessage: locationOf(place) },
    type: 'media',
    mediaType: 'location',
  })),
  live_location: form('message.live_location', LiveLocation, (place) => ({
    message: {
      liveLocationMessage: {
        degreesLatitude: place.latitude,
        degreesLongitude: place.longitude,
        caption: place.caption ?? null,
        accuracyInMeters: place.accuracy_meters ?? null,
        speedInMps: place.speed_mps ?? null,
        degreesClockwiseFromMagneticNorth: place.bearing_degrees ?? null,
        sequenceNumber: place.sequence,
      },
    },
    type: 'media',
    mediaType: 'livelocation',
  })),
  contact: form('message.contact', Contact, (contact) => ({
    message: { contactMessage: cardOf(contact) },
    type: 'media',
    mediaType: 'vcard',
  })),
  contacts: form('message.contacts', v.pipe(v.array(Contact), v.minLength(1)), (contacts) => ({
    message: { contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts: contacts.map(cardOf) } },
    type: 'media',
    mediaType: 'contact_array',
  })),
  poll: form('message.poll', Poll, composePoll),
  event: form('message.event', Event, composeEvent),
}

function locationOf(place: v.InferOutput<typeof Location>): proto.Message.ILocationMessage {
  return {
    degreesLatitude: place.latitude,
    degreesLongitude: place.longitude,
    name: place.name ?? null,
    address: place.address ?? null,
    url: place.url ?? null,
  }
}

function cardOf(contact: v.InferOutput<typeof Contact>): proto.Message.IContactMessage {
  if ('vcard' in contact) return { displayName: contact.display_name, vcard: contact.vcard }
  const phones = 'phones' in contact ? contact.phones : [contact.phone]
  const numbers = phones.map((phone) => phone.replace(/\D/g, '')).map((digits) => `TEL;type=CELL;waid=${digits}:+${digits}`)
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `N:;${contact.name};;;`, `FN:${contact.name}`, ...numbers, 'END:VCARD']
  return { displayName: contact.name, vcard: lines.join('\n') }
}

/**
 * Composes a poll. As on current phones, a poll with a single choice has version 3 of the format, and a poll with
 * several choices has the first version.
 */
function composePoll({ question, options, max }: v.InferOutput<typeof Poll>): Composed {
  const poll = { name: question, options: options.map((optionName) => ({ optionName })), selectableOptionsCount: max }
  const messageContextInfo = { messageSecret: randomBytes(32) }
  const message = max === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
  return { message: { ...message, messageContextInfo }, type: 'poll', meta: { polltype: 'creation' } }
}

function composeEvent(event: v.InferOutput<typeof Event>): Composed {
  const eventMessage = {
    name: event.name,
    description: event.description ?? null,
    startTime: seconds(event.start),
    endTime: event.end === undefined ? null : seconds(event.end),
    location: event.location && locationOf(event.location),
    joinLink: event.join_link ?? null,
    extraGuestsAllowed: event.extra_guests_allowed,
    isCanceled: event.canceled,
  }
  return { message: { eventMessage }, type: 'event', meta: { event_type: 'creation' } }
}

const seconds = (time: string | number): number => (typeof time === 'number' ? time : Math.floor(Date.parse(time) / 1000))
