/**
 * Runs the nodes of `packages/n8n-nodes-svc` in n8n's own engine, which loads the package as n8n does. Only the parts
 * around the engine are replaced: stored credentials, webhook server and registry of active workflows.
 */
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ROOT } from './checkout.ts'

const FOLDER = fileURLToPath(new URL('test/n8n/', ROOT))
export const n8nTool = (path: string) => `${FOLDER}node_modules/${path}`
export const withoutN8n = existsSync(n8nTool('n8n-core'))
  ? false
  : 'n8n is not installed, as it is 380 MB: npm ci --prefix test/n8n'

export type Json = Record<string, unknown>
export interface ExportedWorkflow {
  nodes: readonly ({ name: string; type: string; parameters: Json } & Json)[]
  connections: Json
}
export interface Run {
  error?: { message: string; description?: string; httpCode?: string }
  items: Record<string, { json: Json; binary?: Record<string, Json> }[]>
}

// biome-ignore lint/suspicious/noExplicitAny: n8n has its types only where it is installed
type Untyped = any

export async function startN8n(folder: string, credentials: Json) {
  const require = createRequire(n8nTool('x.js'))
  const core: Untyped = require('n8n-core')
  const workflows: Untyped = require('n8n-workflow')
  const container: Untyped = require('@n8n/di').Container
  const loader = new core.PackageDirectoryLoader(folder)
  await loader.loadAll()
  const nodeTypes = {
    getByName: (type: string) => loader.nodeTypes[shortName(type)].type,
    getByNameAndVersion: (type: string) => loader.nodeTypes[shortName(type)].type,
    getKnownTypes: () => ({}),
  }
  const credentialType: Untyped = loader.credentialTypes['svcApi'].type
  let stored = credentials

  class CredentialsHelper extends workflows.ICredentialsHelper {
    getParentTypes = () => []
    isCredentialUsableByNode = () => true
    authenticate = (data: Json, _type: string, request: Json) => credentialType.authenticate(data, request)
    preAuthentication = async () => undefined
    runPreAuthentication = async () => undefined
    getDecrypted = async () => stored
    getCredentialsProperties = () => credentialType.properties
  }

  const routes = new Map<string, Webhook>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let executions = 0

  const additionalData = (more: Json = {}) => ({
    credentialsHelper: new CredentialsHelper(),
    executionId: String(++executions),
    currentNodeExecutionIndex: 0,
    instanceBaseUrl: origin,
    restApiUrl: `${origin}/rest`,
    webhookBaseUrl: `${origin}/webhook`,
    webhookTestBaseUrl: `${origin}/webhook-test`,
    webhookWaitingBaseUrl: `${origin}/webhook-waiting`,
    formBaseUrl: `${origin}/form`,
    formWaitingBaseUrl: `${origin}/form-waiting`,
    formTestBaseUrl: `${origin}/form-test`,
    variables: {},
    logAiEvent() {},
    ...more,
  })

  function workflowOf(id: string, { nodes, connections }: ExportedWorkflow): Untyped {
    const own = { webhookId: `${id}-hook`, credentials: { svcApi: { id: '1', name: 'svc' } } }
    const built = nodes.map((node, index) => ({ id: `${id}-${index}`, typeVersion: 1, position: [0, 0], ...node, ...own }))
    return new workflows.Workflow({ id, name: id, nodes: built, connections, active: true, nodeTypes, settings: {} })
  }

  /** Runs a workflow from its first node, which gets `items` as its input, or outputs them if it is a trigger. */
  async function run(workflow: Untyped, items: Json[], data: Untyped = additionalData()): Promise<Run> {
    const [node] = Object.values(workflow.nodes) as Untyped[]
    const input = items.map((item) => ('json' in item ? item : { json: item }))
    const executionData = workflows.createRunExecutionData({
      executionData: {
        contextData: {},
        metadata: {},
        nodeExecutionStack: [{ node, data: { main: [input] }, source: null }],
        waitingExecution: {},
        waitingExecutionSource: {},
      },
    })
    data.hooks = new core.ExecutionLifecycleHooks('trigger', data.executionId, {
      ...workflow,
      nodes: Object.values(workflow.nodes),
    })
    const done = await new core.WorkflowExecute(data, 'trigger', executionData).processRunExecutionData(workflow)
    const { error, runData } = done.data.resultData
    const itemsOf = (runs: Untyped[]) => runs.flatMap((each) => each.data?.main?.[0] ?? [])
    return {
      ...(error ? { error } : {}),
      items: Object.fromEntries(Object.entries(runData).map(([name, runs]) => [name, itemsOf(runs as Untyped[])])),
    }
  }

  interface Webhook {
    workflow: Untyped
    webhookData: Untyped
    isTest: boolean
    onRun(run: Run): void
  }

  /**
   * Passes a webhook to the node that has registered its path. The node gets the body as bytes, as it does from n8n's
   * server.
   */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', origin)
    const found = routes.get(pathname)
    const rawBody = await buffer(request)
    if (found === undefined) return void response.writeHead(404).end()
    const { workflow, webhookData, isTest, onRun } = found
    const [node] = Object.values(workflow.nodes) as Untyped[]
    const data = additionalData({
      httpRequest: Object.assign(request, { rawBody, query: {}, params: {} }),
      httpResponse: response,
    })
    const context = new core.WebhookContext(workflow, node, data, isTest ? 'manual' : 'webhook', webhookData, [], null)
    const { workflowData, noWebhookResponse } = await nodeTypes.getByName(node.type).webhook.call(context)
    if (!noWebhookResponse) response.end(JSON.stringify({ message: 'Workflow was started' }))
    if (workflowData) onRun(await run(workflow, workflowData[0]))
  }

  /**
   * Registers the webhook of a trigger. With `isTest`, the editor runs the workflow once, and the workflow is not
   * active.
   */
  async function listen(workflow: Untyped, onRun: (run: Run) => void, { isTest = false } = {}) {
    const [node] = Object.values(workflow.nodes) as Untyped[]
    const data = additionalData()
    const { description, webhookMethods } = nodeTypes.getByName(node.type)
    const hooks = webhookMethods.default
    const [webhookDescription] = description.webhooks
    const ownPath = workflows.NodeHelpers.getNodeWebhookPath(workflow.id, node, webhookDescription.path)
    const webhookData = { node: node.name, path: ownPath, webhookDescription, workflowId: workflow.id, isTest }
    const contextIn = (mode: string, activation: string) =>
      new core.HookContext(workflow, node, data, mode, activation, webhookData)
    const context = contextIn(isTest ? 'manual' : 'trigger', 'activate')
    const path = `/${isTest ? 'webhook-test' : 'webhook'}/${ownPath}`
    routes.set(path, { workflow, webhookData, isTest, onRun })
    const wasThere = (await hooks.checkExists.call(context)) as boolean
    if (!wasThere) await hooks.create.call(context)
    return {
      url: origin + path,
      wasThere,
      async stop() {
        // n8n uses the same mode when it removes the webhook of a test and that of an active workflow.
        await hooks.delete.call(contextIn('internal', 'deactivate'))
        routes.delete(path)
      },
    }
  }

  async function trigger(workflow: Untyped, onRun: (run: Run) => void, onError: (error: Error) => void = () => {}) {
    const data = additionalData()
    const functions = (...given: Untyped[]) => {
      const [of, node, more, mode, activation] = given
      const emit = (found: Untyped[][]) => void run(of, found[0]!).then(onRun)
      return new core.TriggerContext(of, node, more, mode, activation, emit, onError)
    }
    const [node] = Object.values(workflow.nodes) as Untyped[]
    const triggers = new core.TriggersAndPollers()
    const { closeFunction } = await triggers.runTriggerFunction(workflow, node, functions, data, 'trigger', 'activate')
    return { stop: closeFunction as () => Promise<void> }
  }

  /** Sends the request with which n8n tests a credential. `more` replaces fields of the stored credential. */
  function requested({ baseURL, url }: { baseURL: string; url: string }, more: Json): Promise<Response> {
    const workflow = workflowOf('test', chain({ name: 'test', type: 'n8n-nodes-svc.svc', parameters: {} }))
    const value = (text: string) =>
      workflow.expression.getSimpleParameterValue(workflow.nodes.test, text, 'internal', { $credentials: { ...stored, ...more } })
    return fetch(value(baseURL) + value(url))
  }

  return {
    credentialType,
    requested,
    workflowOf,
    additionalData,
    run,
    listen,
    trigger,
    async inOtherN8n<T>(work: () => Promise<T>): Promise<T> {
      const settings = container.get(core.InstanceSettings)
      const { instanceId } = settings
      settings.instanceId = `${instanceId}-other`
      return work().finally(() => {
        settings.instanceId = instanceId
      })
    },
    store(changed: Json) {
      stored = { ...credentials, ...changed }
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export function chain(...nodes: ExportedWorkflow['nodes']): ExportedWorkflow {
  const links = nodes
    .slice(1)
    .map(({ name }, index) => [nodes[index]!.name, { main: [[{ node: name, type: 'main', index: 0 }]] }])
  return { nodes, connections: Object.fromEntries(links) }
}

const shortName = (type: string) => type.replace('n8n-nodes-svc.', '')
