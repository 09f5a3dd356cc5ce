import type { ClusterHostingDeps } from './contract.ts'

/** Asks members to look for instances that were given to them. There is at most one request to a member at a time. */
export function createLookRequests({ members, askToLook }: Pick<ClusterHostingDeps, 'members' | 'askToLook'>) {
  const asked = new Map<string, { isDue: boolean }>()

  async function askWhileDue(id: string, request: { isDue: boolean }): Promise<void> {
    while (request.isDue) {
      request.isDue = false
      const member = members.others().find((each) => each.id === id)
      if (member !== undefined) await askToLook(member)
    }
    asked.delete(id)
  }

  return {
    ask(id: string): void {
      const known = asked.get(id)
      if (known !== undefined) {
        known.isDue = true
        return
      }
      const request = { isDue: true }
      asked.set(id, request)
      void askWhileDue(id, request)
    },
  }
}
