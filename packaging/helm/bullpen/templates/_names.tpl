{{- define "bullpen.name" -}}
{{- if contains "bullpen" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-bullpen{{ end -}}
{{- end }}

{{- define "bullpen.selector" -}}
app.kubernetes.io/name: bullpen
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "bullpen.labels" -}}
{{ include "bullpen.selector" . }}
app.kubernetes.io/version: {{ required "image.tag: which version of the image to run" .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "nats.selector" -}}
app.kubernetes.io/name: nats
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "bullpen.secret" -}}
{{ .Values.nodes.secretName | default (printf "%s-credentials" (include "bullpen.name" .)) }}
{{- end }}
