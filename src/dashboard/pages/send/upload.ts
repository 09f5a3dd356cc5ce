/**
 * Sends a request and reports how much of it has left the browser. `fetch` does not report it, so an XMLHttpRequest is
 * used.
 */
import { DASHBOARD_HEADER } from '../../../domain/dashboard.ts'
import { readProof } from '../../api/proof.ts'
import { refusedBy, unreachable } from '../../api/refused.ts'
import { refusals, signedOut } from '../../api/session.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a request. `onProgress` is called with the share that was uploaded, from 0 to 1. */
export function upload<T>(path: string, body: unknown, onProgress: (share: number) => void): Promise<T> {
  const proof = readProof()
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('Content-Type', 'application/json')
    request.setRequestHeader(DASHBOARD_HEADER, proof ?? '1')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onerror = () => reject(unreachable())
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 200 && status < 300) return resolve(parsed(responseText) as T)
      if (status === 401) signedOut(proof)
      if (status === 403) refusals.value++
      const headers = new Headers()
      const wait = request.getResponseHeader('Retry-After')
      if (wait !== null) headers.set('Retry-After', wait)
      reject(refusedBy(new Response(null, { status, headers }), parsed(responseText)))
    }
    request.send(JSON.stringify(body))
  })
}

export const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
