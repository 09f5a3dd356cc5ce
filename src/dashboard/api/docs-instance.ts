/**
 * Stores the id and the token of an instance for the API reference (`/docs`), for this browser tab until the sign-out.
 */

/** Key of the session storage under which the API reference reads the instance. */
const KEY = 'svc_docs'

/** Stores the instance. If the browser refuses storage, the fields for id and token stay empty in the API reference. */
export function keepForDocs({ id, token }: { id: string; token: string }): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ instance_id: id, token }))
  } catch {
    // A browser that refuses storage only leaves the fields empty.
  }
}

export function dropForDocs(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // A browser that refuses storage has stored nothing.
  }
}
