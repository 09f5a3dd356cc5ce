import { ControlError } from '../control/control-error.ts'
import { digits } from './jid.ts'
import type { Network, Person } from './model.ts'
import { findNumber } from './people.ts'

export function findKnown(network: Network, phone: string): Person {
  const person = findNumber(network, digits(phone))
  if (!person) throw new ControlError('not_found', `${phone} is not on the network`)
  return person
}

export function findPhone(network: Network, phone: string): Person {
  const person = network.people.get(digits(phone))
  if (!person?.isPhone) throw new ControlError('not_found', `there is no phone ${phone}`)
  return person
}
