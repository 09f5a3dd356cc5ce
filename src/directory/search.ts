import { tidied } from '../domain/display-text.ts'
import { lastPhoneOf, type RuntimeState } from '../domain/instance.ts'
import type { ListFilter } from './directory.ts'
import type { InstanceRecord } from './instance-object.ts'

const searched = (text: string) => tidied(text).toLowerCase()

export function createSearch({ status, exactly, q }: Pick<ListFilter, 'status' | 'exactly' | 'q'>) {
  const wanted = q === undefined ? undefined : searched(q)
  return ({ name, id }: InstanceRecord, state: RuntimeState): boolean => {
    if (exactly !== undefined && state.status !== exactly) return false
    if (status !== undefined && (state.status === 'connected') !== (status === 'connected')) return false
    return wanted === undefined || [name, id, lastPhoneOf(state) ?? ''].some((text) => searched(text).includes(wanted))
  }
}
