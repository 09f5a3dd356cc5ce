import { t } from '../texts/t.ts'

/** Reasons why there was no answer, as the service names them. */
const REASONS: Readonly<Record<string, string>> = {
  refused: t('Nobody answers at this address (the connection was refused).'),
  timeout: t('No answer in time.'),
  dns: t('The name of the server is not known.'),
  tls: t('The certificate of the server is not valid.'),
  blocked: t('Addresses of private networks are not allowed.'),
  connection: t('The connection broke.'),
  redirect: t('The server answers with another address; use that one.'),
}

interface Answer {
  code: number | null
  error: string | null
}

/** Says in a few words how a receiver answered a delivery, the same everywhere. */
export function receiverAnswer({ code, error }: Answer): string {
  const reason = error === null ? undefined : REASONS[error]
  if (reason !== undefined) return code === null ? reason : `HTTP ${code}. ${reason}`
  return code === null ? (error ?? '–') : `HTTP ${code}`
}
