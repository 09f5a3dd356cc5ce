{{- define "svc.name" -}}
{{- if contains "svc" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-svc" (.Release.Name | trunc 48 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Is not empty if everything is in PostgreSQL, which several pods use. */}}
{{- define "svc.isShared" -}}
{{- if ne .Values.mode "one-node" }}true{{ end }}
{{- end }}

{{- define "svc.peerPort" -}}
{{ index .Values.settings "SVC_PEER_PORT" | default "8090" }}
{{- end }}

{{/* A member of a cluster gives away 25 instances a second in the first 60 % of this time: 900 in a minute. */}}
{{- define "svc.shutdownSeconds" -}}
{{ index .Values.settings "SVC_SHUTDOWN_SECONDS" | default (ternary "60" "10" (eq .Values.mode "cluster")) }}
{{- end }}

{{/* The orderly stop must never be interrupted. */}}
{{- define "svc.graceSeconds" -}}
{{- $before := ternary (int .Values.drainSeconds) 0 (eq .Values.mode "one-node") }}
{{- $stop := add $before (include "svc.shutdownSeconds" . | int) }}
{{- $given := .Values.terminationGracePeriodSeconds }}
{{- if and $given (le (int64 $given) (add $stop 1)) }}
{{- fail (printf "terminationGracePeriodSeconds must be more than %d: the stop of a pod takes up to %d seconds (drainSeconds on one node, and SVC_SHUTDOWN_SECONDS)" (add $stop 1) $stop) }}
{{- end }}
{{- $given | default (add $stop 15) }}
{{- end }}

{{/* The pod, in all modes. */}}
{{- define "svc.pod" -}}
metadata:
  labels:
    {{- include "svc.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Otherwise a Service that is named svc gives the service the variable SVC_PORT, with the value tcp://…
  enableServiceLinks: false
  automountServiceAccountToken: false
  # The first process of the pod then reaps the converters that end, as --init does in Docker.
  shareProcessNamespace: true
  terminationGracePeriodSeconds: {{ include "svc.graceSeconds" . }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: svc
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      ports:
        - name: http
          containerPort: 8080
      {{- if include "svc.isShared" . }}
        - name: peer
          containerPort: {{ include "svc.peerPort" . }}
      {{- end }}
      {{- if or (include "svc.isShared" .) .Values.settings }}
      env:
        {{- if include "svc.isShared" . }}
        - name: {{ ternary "SVC_CLUSTER" "SVC_STANDBY" (eq .Values.mode "cluster") }}
          value: "on"
        {{- if not (hasKey .Values.settings "SVC_STANDBY_ADDRESS") }}
        # The other pods reach this one at this address. The database may see another one.
        - name: SVC_STANDBY_ADDRESS
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        {{- end }}
        {{- if not (hasKey .Values.settings "SVC_PEER_PORT") }}
        # Members send commands to each other at this port, and a standby passes requests on to the active pod.
        - name: SVC_PEER_PORT
          value: {{ include "svc.peerPort" . | quote }}
        {{- end }}
        {{- if not (hasKey .Values.settings "SVC_SHUTDOWN_SECONDS") }}
        - name: SVC_SHUTDOWN_SECONDS
          value: {{ include "svc.shutdownSeconds" . | quote }}
        {{- end }}
        {{- range $name := list "SVC_STORE_URL" "SVC_SECRET_KEY" "SVC_ADMIN_KEY" }}
        - name: {{ $name }}
          valueFrom:
            secretKeyRef:
              name: {{ $.Values.existingSecret }}
              key: {{ $name }}
        {{- end }}
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- end }}
      {{- with .Values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- if not (include "svc.isShared" .) }}
      # While a pod is removed from the Service, requests still reach it. It stops after that time. Other pods are told at once: a member of a
      # cluster and a standby answer for some seconds before they end, and a standby takes over only after the active service has stopped.
      lifecycle:
        preStop:
          exec:
            command: [sleep, {{ .Values.drainSeconds | quote }}]
      {{- end }}
      {{- if include "svc.isShared" . }}
      # A member that stops is not ready at once. A standby is ready while it can pass requests on to the active service.
      startupProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /health/ready, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      {{- else }}
      # After its start the only service gets all requests, also while its disk is nearly full: it then says in its answers what it cannot do.
      startupProbe:
        httpGet: { path: /health/ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 120
      readinessProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
      {{- end }}
      livenessProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if include "svc.isShared" . }}
    # Temporary files only: what must survive is in the database.
    - name: data
      emptyDir: {}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if eq .Values.mode "cluster" }}
  # If there are fewer machines than members, some run on the same machine.
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            {{- include "svc.apart" . | nindent 12 }}
  {{- else if eq .Values.mode "pair" }}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - {{- include "svc.apart" . | nindent 10 }}
  {{- end }}
{{- end }}

{{- define "svc.apart" -}}
topologyKey: kubernetes.io/hostname
labelSelector:
  matchLabels:
    {{- include "svc.selector" . | nindent 4 }}
{{- end }}
