/**
 * The name of an instance. If another instance has a name that looks alike, the beginning of the id follows the name.
 */
import { computed } from '@preact/signals'
import { namesakes, shortId } from '../../domain/instance-choices.ts'
import { rows } from '../api/live.ts'
import { Name } from './words.tsx'

const alike = computed(() => namesakes(rows.value.values()))

/** Shows the name of an instance. `fallback` is shown if the instance is not loaded, or was deleted. */
export function InstanceName({ id, fallback = id }: { id: string; fallback?: string }) {
  const row = rows.value.get(id)
  return (
    <>
      <Name>{row?.name ?? fallback}</Name>
      {alike.value.has(id) ? <span class="number soft"> · {shortId(id)}</span> : null}
    </>
  )
}
