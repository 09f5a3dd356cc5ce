export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
  reactions: Record<string, string>
  attrs?: Record<string, string>
  mediaType?: string | undefined
  /** Absent in the data of earlier releases. */
  type?: string | undefined
  meta?: Record<string, string> | undefined
}

export interface Follower {
  role: 'OWNER' | 'ADMIN' | 'SUBSCRIBER'
  isMuted: boolean
  hidesFollowers?: boolean
}

export interface Newsletter {
  id: string
  name: string
  description: string
  createdAt: number
  invite: string
  owner: string
  subscribers: Map<string, Follower>
  posts: Post[]
  picture?: string | undefined
  state?: 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED'
  isVerified?: boolean
  handle?: string
  /** Code that says which reactions are allowed, ALL by default. */
  reactionCodes?: string
  listing?: { views: string[]; country: string }
  metadataQueries?: number
  invited?: string[]
  /** Linked devices that receive live updates, by address, each with the end of these updates in epoch seconds. */
  live?: Map<string, number>
}
