/** Builds calendar events, changes of them, and answers to them. Baileys cannot encrypt changes and answers. */
import { CALL_AUDIO_PREFIX, CALL_VIDEO_PREFIX, proto } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { type SecretAbout, sealAbout } from './secret.ts'

export interface CalendarEvent {
  name: string
  description?: string | undefined
  date_time: string
  end_date_time?: string | undefined
  location?:
    | {
        name: string
        address?: string | undefined
        latitude?: number | undefined
        longitude?: number | undefined
      }
    | undefined
  call_link_type?: 'voice' | 'video' | undefined
  canceled: boolean
  extra_guests_allowed: boolean
}

const { EventResponseType } = proto.Message.EventResponseMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage
const { Type } = proto.Message.ProtocolMessage

/** Returns the start of the event in epoch seconds. */
export const startOf = ({ date_time }: CalendarEvent) => Math.floor(Date.parse(date_time) / SECOND)

export function eventMessage(event: CalendarEvent, joinLink: string | null): proto.Message.IEventMessage {
  const { location } = event
  return {
    name: event.name,
    ...(event.description ? { description: event.description } : {}),
    startTime: startOf(event),
    ...(event.end_date_time ? { endTime: Math.floor(Date.parse(event.end_date_time) / SECOND) } : {}),
    ...(location
      ? {
          location: {
            name: location.name,
            ...(location.address ? { address: location.address } : {}),
            ...(location.latitude === undefined
              ? {}
              : { degreesLatitude: location.latitude, degreesLongitude: location.longitude ?? 0 }),
          },
        }
      : {}),
    ...(joinLink === null ? {} : { joinLink }),
    isCanceled: event.canceled,
    extraGuestsAllowed: event.extra_guests_allowed,
    isScheduleCall: false,
  }
}

const CALLS = {
  voice: { media: 'audio', prefix: CALL_AUDIO_PREFIX },
  video: { media: 'video', prefix: CALL_VIDEO_PREFIX },
} as const

export const callOf = (kind: 'voice' | 'video') => CALLS[kind]

export function eventEdit(
  key: proto.IMessageKey,
  about: SecretAbout,
  changed: proto.Message.IEventMessage,
  now: number,
): proto.IMessage {
  const inner = proto.Message.encode({
    protocolMessage: { key, type: Type.MESSAGE_EDIT, editedMessage: { eventMessage: changed }, timestampMs: now },
  }).finish()
  return {
    secretEncryptedMessage: {
      targetMessageKey: key,
      ...sealAbout(about, 'Event Edit', inner),
      secretEncType: SecretEncType.EVENT_EDIT,
    },
  }
}

const RESPONSES = {
  going: EventResponseType.GOING,
  not_going: EventResponseType.NOT_GOING,
  maybe: EventResponseType.MAYBE,
}

export function eventResponse(
  key: proto.IMessageKey,
  about: SecretAbout,
  response: keyof typeof RESPONSES,
  now: number,
): proto.IMessage {
  const plain = proto.Message.EventResponseMessage.encode({ response: RESPONSES[response], timestampMs: now }).finish()
  return { encEventResponseMessage: { eventCreationMessageKey: key, ...sealAbout(about, 'Event Response', plain) } }
}
