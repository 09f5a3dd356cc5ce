export interface GroupFacts {
  readonly id: string
  subject: string
  subjectAt: number
  createdAt: number
  addressing: 'lid' | 'pn'
  announce: boolean
  restrict: boolean
  ephemeralSeconds: number
  joinApproval: boolean
  memberAddMode: 'admin_add' | 'all_member_add'
  isSuspended: boolean
  /** Epoch seconds at which a member appealed against the suspension of the group. */
  appealedAt?: number
  invite: string
  isCommunity: boolean
  membersAddGroups: boolean
  isAnnouncementGroup: boolean
  linkedParent: string | undefined
  picture: string | undefined
  pictureQueries?: number
  keyHolders: Map<string, Set<string>>
  /**
   * Key that the client sent when it created the group. If the client repeats the request with this key, no second
   * group is created.
   */
  key?: string
  capacity?: number
  revokedInvites?: Set<string>
  /** Numbers of people whom an administrator has removed. They cannot join with the link again. */
  removed?: Set<string>
  flags?: Set<string>
  modes?: Map<string, string>
  settingsVersion?: string
  /** Version of the member list, which the server sends with each change. Absent in the data of earlier releases. */
  membersVersion?: string
}
