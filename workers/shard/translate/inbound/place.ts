import type { proto } from '@whiskeysockets/baileys'
import type { ReceivedLocation } from '../../../../src/features/received/described.ts'
import { count, cutOrNull, decimal } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'

export function placeOf(place: proto.Message.ILocationMessage | null | undefined): ReceivedLocation | null {
  const latitude = decimal(place?.degreesLatitude)
  const longitude = decimal(place?.degreesLongitude)
  if (!place || latitude === null || longitude === null) return null
  return {
    latitude,
    longitude,
    name: cutOrNull(place.name, 256),
    address: cutOrNull(place.address, 1_024),
    url: cutOrNull(place.url, 2_048),
  }
}

export const location: Family = ({ message }) => {
  const place = placeOf(message.locationMessage)
  return place && block('location', place)
}

export const liveLocation: Family = ({ message }) => {
  const live = message.liveLocationMessage
  const latitude = decimal(live?.degreesLatitude)
  const longitude = decimal(live?.degreesLongitude)
  if (!live || latitude === null || longitude === null) return null
  return block('live_location', {
    latitude,
    longitude,
    accuracy_meters: decimal(live.accuracyInMeters),
    speed_mps: decimal(live.speedInMps),
    bearing_degrees: decimal(live.degreesClockwiseFromMagneticNorth),
    sequence: count(live.sequenceNumber),
    caption: cutOrNull(live.caption, 1_024),
  })
}
