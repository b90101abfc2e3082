-- What wrk sends, and what it reports at the end as one line of JSON. Arguments: kind of request, how many monitors,
-- whether each request takes a new connection, the API key, a seed. The kind `bare` asks a server that knows no monitor.

local kind, monitors, connection, key, sent = "bare", 1, "keep-alive", "", 0

function init(args)
  kind = args[1]
  monitors = tonumber(args[2])
  connection = args[3]
  key = args[4]
  math.randomseed(tonumber(args[5]))
  wrk.headers["Connection"] = connection
end

local function path(monitor, rest)
  return "/api/v1/ping/job-" .. monitor .. "/" .. key .. rest
end

local kinds = {
  bare = function() return "/", nil end,
  heartbeat = function() return path(math.random(monitors), ""), nil end,
  -- Start and complete in turn: each pair is one run of one monitor.
  run = function()
    local pair = math.floor((sent - 1) / 2)
    local monitor = pair * 7919 % monitors + 1
    if sent % 2 == 1 then return path(monitor, "/start?run_id=run-" .. pair), nil end
    return path(monitor, "/complete?run_id=run-" .. pair), nil
  end,
  schedule = function()
    return path(math.random(monitors), "?schedule=*/5+*+*+*+*&gracePeriod=300&timezone=Europe/Berlin"), nil
  end,
  idempotent = function()
    return path(math.random(monitors), ""), { ["Idempotency-Key"] = key:sub(-4) .. math.random(1e9) .. "-" .. sent }
  end,
}

function request()
  sent = sent + 1
  local where, headers = kinds[kind]()
  if headers then headers["Connection"] = connection end
  return wrk.format("GET", where, headers)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
