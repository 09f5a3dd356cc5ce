// Code node for n8n. It follows a Webhook node with the option "Raw Body" and "Respond: Immediately". It passes a
// genuine event on, and stops the workflow for any other request. Write the secret of the instance into the first line.
// n8n needs NODE_FUNCTION_ALLOW_BUILTIN=crypto.
const secret = 'whsec_…'
const { createHmac, timingSafeEqual } = require('crypto')
const header = $input.first().json.headers['x-svc-signature'] ?? ''
const body = await this.helpers.getBinaryDataBuffer(0, 'data')
const t = /(?:^|,)t=(\d+)/.exec(header)?.[1] ?? '0'
const mine = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
const given = [...header.matchAll(/(?:^|,)v1=([0-9a-f]{64})/g)].map(([, v1]) => v1)
const isMine = given.some((v1) => timingSafeEqual(Buffer.from(v1), Buffer.from(mine)))
if (!isMine || Math.abs(Date.now() / 1000 - Number(t)) > 300) throw new Error('not from svc')
return [{ json: JSON.parse(body.toString()) }]
