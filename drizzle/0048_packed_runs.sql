-- Changes nothing: state_log has facts from now on that an earlier version would misread, so it must not open this file.
SELECT 1;
