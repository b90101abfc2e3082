-- What wrk sends, and what it reports at the end as one line of JSON. Arguments: kind of request, how many monitors,
-- whether each request takes a new connection, the API key, a seed. The kind `bare` asks a server that knows no monitor.

local kind, monitors, connection, key, seed, sent = "bare", 1, "keep-alive", "", "", 0

-- At every moment this number of runs has begun and not ended.
local UNDER_WAY = 600
local EMPTY_PAIRS = "?" .. ("=&"):rep(5000)
local LONG_QUERY = "?run_id=" .. ("x"):rep(16 * 1024)
local FILLER = ("x"):rep(30 * 1024)

function init(args)
  kind = args[1]
  monitors = tonumber(args[2])
  connection = args[3]
  key = args[4]
  seed = args[5]
  math.randomseed(tonumber(seed))
  wrk.headers["Connection"] = connection
end

local function path(monitor, rest)
  return "/api/v1/ping/job-" .. monitor .. "/" .. key .. rest
end

local kinds = {
  bare = function() return "/", nil end,
  -- The report of a push monitor to Uptime Kuma.
  push = function() return "/api/push/job-" .. math.random(monitors) .. "?status=up&msg=OK&ping=", nil end,
  heartbeat = function() return path(math.random(monitors), ""), nil end,
  -- A start and a complete in turn, of runs far enough apart that a complete never overtakes its start.
  run = function()
    local pair = math.floor((sent - 1) / 2)
    local starts = sent % 2 == 1
    if not starts then pair = pair - UNDER_WAY end
    local monitor = pair * 7919 % monitors + 1
    return path(monitor, (starts and "/start" or "/complete") .. "?run_id=run-" .. seed .. "-" .. pair), nil
  end,
  schedule = function()
    return path(math.random(monitors), "?schedule=*/5+*+*+*+*&gracePeriod=300&timezone=Europe/Berlin"), nil
  end,
  idempotent = function()
    return path(math.random(monitors), ""), { ["Idempotency-Key"] = key:sub(-4) .. math.random(1e9) .. "-" .. sent }
  end,
  -- At a limit or over it: 5,000 empty pairs; a query of 16 KiB; 30 KiB of headers.
  ["empty-pairs"] = function() return path(math.random(monitors), EMPTY_PAIRS), nil end,
  ["long-query"] = function() return path(math.random(monitors), LONG_QUERY), nil end,
  ["large-head"] = function() return path(math.random(monitors), ""), { ["X-Filler"] = FILLER } end,
}

function request()
  sent = sent + 1
  local where, headers = kinds[kind]()
  if headers then headers["Connection"] = connection end
  return wrk.format("GET", where, headers)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"microseconds":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
