import type {
  IAuthenticate,
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  IHttpRequestOptions,
  INodeProperties,
} from 'n8n-workflow'
import { credentialsIn } from '../lib/connection.ts'

export class SvcApi implements ICredentialType {
  name = 'svcApi'

  displayName = 'Svc API'

  icon = { light: 'file:../icons/svc.svg', dark: 'file:../icons/svc.dark.svg' } as const

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://gw.example.com',
      description: 'Address of the service, as n8n reaches it',
    },
    {
      displayName: 'Instance ID',
      name: 'instanceId',
      type: 'string',
      default: '',
      required: true,
      description: 'ID of the instance: the linked device of one WhatsApp number',
    },
    {
      displayName: 'Instance Token',
      name: 'instanceToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Token of this instance',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'API key of the workspace. Only the operations of the account and of administrators need it, and instances whose workspace requires it.',
    },
    {
      displayName: 'Client Token',
      name: 'clientToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'Additional secret of the workspace, if it demands one',
    },
  ]

  authenticate: IAuthenticate = async (credentials: ICredentialDataDecryptedObject, request: IHttpRequestOptions) => {
    const { apiKey, clientToken } = credentialsIn(credentials)
    const headers = {
      ...request.headers,
      ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      ...(clientToken === undefined ? {} : { 'Client-Token': clientToken }),
    }
    return { ...request, headers }
  }

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
      url: '=/instances/{{ $credentials.instanceId.trim() }}/token/{{ $credentials.instanceToken.trim() }}/status',
    },
  }
}
