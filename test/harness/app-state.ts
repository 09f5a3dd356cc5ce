import assert from 'node:assert/strict'
import type { Json, Stage } from './stage.ts'

interface Phone {
  phone: string
  name?: string
  app_state: Record<string, Json>
  app_state_problems: string[]
}

export function phoneOf(stage: () => Stage, number: string) {
  async function phone(): Promise<Phone> {
    const { phones } = await stage().world.sandbox.get<{ phones: Phone[] }>('/state')
    const found = phones.find((each) => each.phone === number)!
    // The list of problems is empty if the phone could decrypt and verify everything that was written.
    assert.deepEqual(found.app_state_problems, [])
    return found
  }
  return {
    phone,
    entry: async (...index: string[]): Promise<Record<string, Json> | undefined> =>
      (await phone()).app_state[JSON.stringify(index)] as Record<string, Json> | undefined,
    async action(...index: string[]): Promise<Record<string, Json>> {
      const found = (await phone()).app_state[JSON.stringify(index)]
      assert.ok(found, `the phone has no ${index.join(' ')}`)
      return found as Record<string, Json>
    },
    /** Makes the phone write this action itself. If the value is null, the phone removes the entry. */
    act: (collection: string, index: string[], value: Json | null) =>
      stage().world.sandbox.post(`/phones/${number}/actions`, { collection, index, value }),
  }
}
