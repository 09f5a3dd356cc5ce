import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow'
import { properties } from '../../generated/form.ts'
import { connect } from '../../lib/connection.ts'
import { nodeErrorOf } from '../../lib/failures.ts'
import { runItem } from '../../lib/run-item.ts'

export class Svc implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'svc',
    name: 'svc',
    icon: { light: 'file:../../icons/svc.svg', dark: 'file:../../icons/svc.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter.resource === "other" ? $parameter.otherOperation : $parameter.operation }}',
    description: 'Send WhatsApp messages and manage chats, groups and more through svc',
    defaults: { name: 'svc' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'svcApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Chat', value: 'chat' },
          { name: 'Contact', value: 'contact' },
          { name: 'File', value: 'file' },
          { name: 'Group', value: 'group' },
          { name: 'Instance', value: 'instance' },
          { name: 'Message', value: 'message' },
          { name: 'Other', value: 'other', description: 'Every other operation, with its fields as JSON' },
          { name: 'Queue', value: 'queue' },
        ],
        default: 'message',
      },
      ...properties,
      {
        displayName: 'Fields',
        name: 'fields',
        type: 'json',
        default: '{}',
        description:
          'Fields of the path, the query and the body of the operation, in one object. The reference at <code>/docs</code> of the service describes each of them.',
        displayOptions: { show: { resource: ['other'] } },
      },
      {
        displayName: 'Input Binary Field',
        name: 'binaryPropertyName',
        type: 'string',
        required: true,
        default: 'data',
        hint: 'The name of the input field containing the file',
        displayOptions: { show: { resource: ['other'], otherOperation: ['admin.importInstance'] } },
      },
      {
        displayName: 'Options',
        name: 'callOptions',
        type: 'collection',
        placeholder: 'Add Option',
        default: {},
        options: [
          {
            displayName: 'Attempts',
            name: 'attempts',
            type: 'number',
            typeOptions: { minValue: 1, maxValue: 10 },
            default: 3,
            description:
              'Number of attempts while the service is away. Only what cannot happen twice is repeated: reads, changes that set a value, and sends.',
          },
          {
            displayName: 'Idempotency Key',
            name: 'idempotencyKey',
            type: 'string',
            default: '',
            description:
              'The service sends one message per key within 24 hours. By default the key is made of the n8n, the workflow, the execution, the node and the item, so that a node that is retried does not send twice.',
          },
          {
            displayName: 'Put Output in Field',
            name: 'outputBinaryField',
            type: 'string',
            default: 'data',
            description: 'Name of the binary field of a downloaded file',
          },
          {
            displayName: 'Wait for Outcome (Seconds)',
            name: 'waitSeconds',
            type: 'number',
            typeOptions: { minValue: 0, maxValue: 600 },
            default: 30,
            description:
              'How long a send waits for its outcome. The status is then <code>sent</code>, <code>failed</code> or <code>removed</code> instead of <code>queued</code>.',
          },
        ],
      },
    ],
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const svc = await connect(this)
    const results: INodeExecutionData[] = []
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        const answers = await runItem(this, svc, item)
        results.push(...answers.map((answer) => ({ ...answer, pairedItem: { item } })))
      } catch (error) {
        const failure = nodeErrorOf(this.getNode(), error, item)
        if (!this.continueOnFail()) throw failure
        results.push({ json: { error: failure.message, description: failure.description ?? null }, pairedItem: { item } })
      }
    }
    return [results]
  }
}
