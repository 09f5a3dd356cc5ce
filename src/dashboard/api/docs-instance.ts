/**
 * Stores the id and the token of an instance for the API reference (`/docs`), for this browser tab until the sign-out.
 */

/** Key of the session storage under which the API reference reads the instance. */
const KEY = 'svc_docs'

/**
 * Stores the instance for the API reference. If the browser refuses storage, the user must type the id and the token in
 * the API reference.
 */
export function keepForDocs({ id, token }: { id: string; token: string }): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ instance_id: id, token }))
  } catch {
    // The instance is not stored.
  }
}

export function dropForDocs(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // A browser that refuses storage has stored nothing.
  }
}
