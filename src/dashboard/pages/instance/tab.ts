import type { InstanceRow } from '../../../domain/dashboard.ts'
import { answer, api } from '../../api/client.ts'
import type { Loaded } from '../../app/load.ts'

export const loadInstance = (id: string) =>
  answer(api.GET('/account/instances/{instance_id}', { params: { path: { instance_id: id } } }))

export type Instance = Awaited<ReturnType<typeof loadInstance>>

export interface TabProps {
  row: InstanceRow
  instance: Loaded<Instance> & { data: Instance }
}
