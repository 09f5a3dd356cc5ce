/** The instance with which the reference is filled in. It is kept with its token for this browser tab, until somebody signs out. */

/** The reference reads it under this name (`src/pages/docs-script.ts`). */
const KEY = 'svc_docs'

/** If the browser refuses storage, the reference is not filled in. */
export function keepForDocs({ id, token }: { id: string; token: string }): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ instance_id: id, token }))
  } catch {
    // The reference then asks for both.
  }
}

export function dropForDocs(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // A browser that refuses storage has stored nothing.
  }
}
