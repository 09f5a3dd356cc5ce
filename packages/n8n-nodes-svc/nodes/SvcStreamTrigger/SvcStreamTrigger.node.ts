import type { INodeType, INodeTypeDescription, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow'
import { filterProperties } from '../../lib/event-filter.ts'
import { startReader } from '../../lib/event-reader.ts'

export class SvcStreamTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'svc Stream Trigger',
    name: 'svcStreamTrigger',
    icon: { light: 'file:../../icons/svc.svg', dark: 'file:../../icons/svc.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter.events.join(", ") }}',
    description: 'Starts the workflow when svc reports an event, where svc cannot reach n8n by webhook',
    defaults: { name: 'svc Stream Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'svcApi', required: true }],
    properties: filterProperties,
  }

  async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
    return startReader(this)
  }
}
