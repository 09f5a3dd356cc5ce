/** Reads the event stream of an instance, and starts the workflow for each event that matches the filter. */
import type { IDataObject, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow'
import { readEvents } from '../../client/src/event-stream.ts'
import { createRequests } from '../../client/src/request.ts'
import { CREDENTIAL, credentialsIn, prefixOf } from './connection.ts'
import { filterOf, isWanted } from './event-filter.ts'
import { nodeErrorOf } from './failures.ts'

export async function startReader(node: ITriggerFunctions): Promise<ITriggerResponse> {
  const end = new AbortController()
  const closeFunction = async () => end.abort()
  if (node.getMode() === 'manual') return { closeFunction, manualTriggerFunction: () => opened(node, end) }
  await opened(node, end)
  return { closeFunction }
}

/** Resolves when the stream is open for the first time. Rejects if it cannot be opened. */
function opened(node: ITriggerFunctions, end: AbortController): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    const failed = (error: unknown) => {
      const failure = nodeErrorOf(node.getNode(), error)
      if (!isOpen) end.abort()
      if (isOpen) node.emitError(failure)
      else reject(failure)
    }
    const onOpen = () => {
      isOpen = true
      resolve()
    }
    // If the stream was open before, a lost connection is only logged, because the client then connects again by
    // itself.
    const onCut = (error: Error) => (isOpen ? node.logger.warn(`svc: ${error.message}`) : failed(error))
    read(node, end.signal, onOpen, onCut).catch(failed)
  })
}

async function read(
  node: ITriggerFunctions,
  signal: AbortSignal,
  onOpen: () => void,
  onCut: (error: Error) => void,
): Promise<void> {
  const credentials = credentialsIn(await node.getCredentials(CREDENTIAL))
  const filter = filterOf(node)
  const isManual = node.getMode() === 'manual'
  // n8n stores this data with the workflow. So after a restart, the reader continues after the last event.
  const place = node.getWorkflowStaticData('node')
  const after = isManual ? undefined : (place.after as string | undefined)
  const onGap = ({ from, to }: { from: string; to: string }) =>
    node.logger.warn(`svc no longer has the events from ${from} to ${to}`)
  const events = readEvents(createRequests(credentials), prefixOf(credentials), {
    types: filter.events,
    after,
    signal,
    onOpen,
    onCut,
    onGap,
  })
  for await (const event of events) {
    if (!isManual) place.after = event.event_id
    if (isWanted(event, filter)) node.emit([[{ json: event as unknown as IDataObject }]])
  }
}
