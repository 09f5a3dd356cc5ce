/**
 * Types of the parts of `n8n-workflow` that this package uses. Where n8n is not installed (it has 380 MB), the package
 * is compiled with these types. `test/e2e/n8n.test.ts` compiles it with n8n's own types.
 */
declare module 'n8n-workflow' {
  type GenericValue = string | number | boolean | object | undefined | null
  export interface IDataObject {
    [key: string]: GenericValue | IDataObject | GenericValue[] | IDataObject[]
  }
  export type JsonObject = { [key: string]: unknown }
  export interface INode {
    id: string
    name: string
  }
  export interface IBinaryData {
    data: string
    mimeType: string
    fileName?: string
    fileExtension?: string
  }
  export interface INodeExecutionData {
    json: IDataObject
    binary?: Record<string, IBinaryData>
    pairedItem?: { item: number }
  }

  export interface INodePropertyOptions {
    name: string
    value: string | number | boolean
    action?: string
    description?: string
  }
  export interface INodeProperties {
    displayName: string
    name: string
    type: 'boolean' | 'collection' | 'dateTime' | 'json' | 'multiOptions' | 'number' | 'options' | 'string'
    typeOptions?: { maxValue?: number; minValue?: number; numberPrecision?: number; password?: boolean; rows?: number }
    default: string | number | boolean | object | null
    description?: string
    displayOptions?: { show?: Record<string, (string | number | boolean)[] | undefined> }
    hint?: string
    noDataExpression?: boolean
    options?: (INodePropertyOptions | INodeProperties)[]
    placeholder?: string
    required?: boolean
  }
  type Icon = { light: `file:${string}`; dark: `file:${string}` }
  export interface INodeTypeDescription {
    displayName: string
    name: string
    icon?: Icon
    group: ('input' | 'output' | 'organization' | 'schedule' | 'transform' | 'trigger')[]
    version: number
    subtitle?: string
    description: string
    defaults: { name: string }
    usableAsTool?: true
    inputs: 'main'[]
    outputs: 'main'[]
    credentials?: { name: string; required?: boolean }[]
    webhooks?: { name: 'default'; httpMethod: 'POST'; responseMode: 'onReceived'; path: string }[]
    properties: INodeProperties[]
  }
  interface HookMethods {
    checkExists(this: IHookFunctions): Promise<boolean>
    create(this: IHookFunctions): Promise<boolean>
    delete(this: IHookFunctions): Promise<boolean>
  }
  export interface INodeType {
    description: INodeTypeDescription
    execute?(this: IExecuteFunctions): Promise<INodeExecutionData[][]>
    trigger?(this: ITriggerFunctions): Promise<ITriggerResponse | undefined>
    webhook?(this: IWebhookFunctions): Promise<IWebhookResponseData>
    webhookMethods?: { default: HookMethods }
  }
  export interface IWebhookResponseData {
    workflowData?: INodeExecutionData[][]
    noWebhookResponse?: boolean
  }
  export interface ITriggerResponse {
    closeFunction?: () => Promise<void>
    manualTriggerFunction?: () => Promise<void>
  }

  export type ICredentialDataDecryptedObject = IDataObject
  export type IHttpRequestMethods = 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT'
  export interface IHttpRequestOptions {
    url: string
    method?: IHttpRequestMethods
    headers?: IDataObject
    body?: unknown
    abortSignal?: AbortSignal
    encoding?: 'arraybuffer'
    returnFullResponse?: boolean
    ignoreHttpStatusErrors?: boolean
  }
  export type IAuthenticate = (
    credentials: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ) => Promise<IHttpRequestOptions>
  export interface ICredentialTestRequest {
    request: { baseURL: string; url: string }
  }
  export interface ICredentialType {
    name: string
    displayName: string
    icon?: Icon
    properties: INodeProperties[]
    authenticate?: IAuthenticate
    test?: ICredentialTestRequest
  }

  interface Logger {
    error(message: string): void
    warn(message: string): void
  }
  interface Functions {
    logger: Logger
    getCredentials(type: string): Promise<ICredentialDataDecryptedObject>
    getMode(): string
    getNode(): INode
    getWorkflowStaticData(type: 'node'): IDataObject
  }
  interface RequestHelpers {
    httpRequestWithAuthentication(this: Functions, credential: string, request: IHttpRequestOptions): Promise<unknown>
  }
  export interface IExecuteFunctions extends Functions {
    continueOnFail(): boolean
    evaluateExpression(expression: string, item: number): unknown
    getExecutionCancelSignal(): AbortSignal | undefined
    getExecutionId(): string
    getInstanceId(): string
    getWorkflow(): { id?: string }
    getInputData(): INodeExecutionData[]
    getNodeParameter(name: string, item: number, fallback?: unknown): unknown
    helpers: RequestHelpers & {
      assertBinaryData(item: number, property: string): IBinaryData
      getBinaryDataBuffer(item: number, property: string): Promise<Buffer>
      prepareBinaryData(data: Buffer): Promise<IBinaryData>
    }
  }
  export interface IHookFunctions extends Functions {
    getNodeParameter(name: string, fallback?: unknown): unknown
    getNodeWebhookUrl(name: 'default'): string | undefined
    helpers: RequestHelpers
  }
  export interface IWebhookFunctions extends Functions {
    getNodeParameter(name: string, fallback?: unknown): unknown
    getRequestObject(): object
    getResponseObject(): {
      writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown }
    }
    helpers: RequestHelpers
  }
  export interface ITriggerFunctions extends Functions {
    emit(data: INodeExecutionData[][]): void
    emitError(error: Error): void
    getNodeParameter(name: string, fallback?: unknown): unknown
  }

  interface ErrorOptions {
    message?: string
    description?: string
    httpCode?: string
    itemIndex?: number
  }
  class NodeError extends Error {
    description: string | null | undefined
  }
  export class NodeApiError extends NodeError {
    constructor(node: INode, response: JsonObject, options?: ErrorOptions)
  }
  export class NodeOperationError extends NodeError {
    constructor(node: INode, error: Error | string, options?: ErrorOptions)
  }
  export function sleep(ms: number): Promise<void>
}
