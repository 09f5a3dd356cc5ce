import { t } from '../texts/t.ts'

/**
 * Sentences for the reasons why a receiver gave no answer, or why there is no further attempt. The keys are the names
 * that the service sends.
 */
const REASONS: Readonly<Record<string, string>> = {
  refused: t('Nobody answers at this address (the connection was refused).'),
  timeout: t('No answer in time.'),
  dns: t('The name of the server is not known.'),
  tls: t('The certificate of the server is not valid.'),
  blocked: t('Addresses of private networks are not allowed.'),
  connection: t('The connection broke.'),
  redirect: t('The server answers with another address; use that one.'),
  'switched off': t('The webhook of this type is switched off.'),
  'backlog full': t('Too many events were waiting.'),
  unreadable: t('The stored event cannot be read.'),
  internal: t('The service had an error; its log has the details.'),
}

interface Answer {
  code: number | null
  error: string | null
}

export function receiverAnswer({ code, error }: Answer): string {
  if (code === null) return error === null ? '–' : (REASONS[error] ?? error)
  if (error === null || error === `status ${code}`) return `HTTP ${code}`
  return `HTTP ${code}. ${REASONS[error] ?? error}`
}
