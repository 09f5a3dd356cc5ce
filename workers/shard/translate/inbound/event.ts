import { proto } from '@whiskeysockets/baileys'
import type { ReceivedBlocks } from '../../../../src/features/received/blocks.ts'
import { cutOrEmpty, cutOrNull, decimal, isoOrNull, millisecondsToIso, secondsToIso } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'
import { referencedMessage } from './referenced.ts'
import { decryptAbout } from './secret.ts'

export const event: Family = ({ message }) => {
  const found = message.eventMessage
  if (!found) return null
  const { location } = found
  return block('event', {
    name: cutOrEmpty(found.name, 256),
    description: cutOrNull(found.description, 4_096),
    canceled: found.isCanceled === true,
    date_time: secondsToIso(found.startTime),
    end_date_time: secondsToIso(found.endTime),
    join_link: cutOrNull(found.joinLink, 2_048),
    extra_guests_allowed: found.extraGuestsAllowed === true,
    // The location of an event can be a room, which has a name but no coordinates. The decoder reads missing coordinates
    // as 0, 0, so 0, 0 is reported as null.
    location: location
      ? {
          name: cutOrNull(location.name, 256),
          address: cutOrNull(location.address, 1_024),
          latitude: coordinates(location) ? decimal(location.degreesLatitude) : null,
          longitude: coordinates(location) ? decimal(location.degreesLongitude) : null,
        }
      : null,
  })
}

const coordinates = ({ degreesLatitude, degreesLongitude }: proto.Message.ILocationMessage) =>
  Boolean(degreesLatitude) || Boolean(degreesLongitude)

const { EventResponseType } = proto.Message.EventResponseMessage
const RESPONSES: Readonly<Record<number, ReceivedBlocks['event_response']['response']>> = {
  [EventResponseType.GOING]: 'going',
  [EventResponseType.NOT_GOING]: 'not_going',
  [EventResponseType.MAYBE]: 'maybe',
}

export const eventResponse: Family = async ({ message }, scene) => {
  const sealed = message.encEventResponseMessage
  const key = sealed?.eventCreationMessageKey
  const opened = await decryptAbout(scene, key, 'Event Response', { payload: sealed?.encPayload, iv: sealed?.encIv })
  const referenced = opened && (await referencedMessage(key, scene))
  if (!opened || !referenced) return null
  const answer = proto.Message.EventResponseMessage.decode(opened.plain)
  const response = RESPONSES[answer.response ?? 0]
  if (response === undefined) return null
  return block('event_response', {
    response,
    response_from: scene.author?.phone ?? scene.phone,
    time: millisecondsToIso(answer.timestampMs) ?? isoOrNull(scene.at),
    referenced_message: referenced,
  })
}
