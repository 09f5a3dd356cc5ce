/**
 * Bot that answers each private text with the same text. It needs no public address: it reads the event stream of the instance.
 * Start it with: SVC_URL=<api_url of the instance> node examples/echo-bot.mjs
 */
const url = process.env.SVC_URL

/**
 * Yields the events of the stream. After a disconnection it connects again, and continues after the last event that it
 * received. The lines of an event are `id: …`, `event: …` and `data: …`. An empty line ends it.
 */
async function* events(types) {
  let last
  for (;;) {
    try {
      const headers = last === undefined ? {} : { 'Last-Event-ID': last }
      const response = await fetch(`${url}/events?types=${types}`, { headers })
      if (!response.ok) throw new Error(`the stream was refused: ${response.status} ${await response.text()}`)
      let fields = {}
      let rest = ''
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) {
          const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
          if (name) fields[name] = value
          if (line !== '') continue
          if (fields.id) last = fields.id
          if (fields.event === 'ready') console.log('ready')
          else if (fields.event === 'gap') console.error(`events were lost: ${fields.data}`)
          else if (fields.data) yield JSON.parse(fields.data)
          fields = {}
        }
      }
    } catch (error) {
      console.error(`${error.message}; reconnecting`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

for await (const event of events('received')) {
  if (event.from_me || event.is_group || !event.text) continue
  const answer = await fetch(`${url}/send-text`, {
    method: 'POST',
    // This key makes an event that arrives twice harmless, because the service sends only one message per key.
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': event.event_id },
    body: JSON.stringify({ phone: event.phone, message: event.text.message, reply_to_message_id: event.message_id }),
  })
  console.log(answer.ok ? `answered ${event.message_id}` : `not answered: ${await answer.text()}`)
}
